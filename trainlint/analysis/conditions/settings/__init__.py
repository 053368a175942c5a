"""What settings of a program its tests require: parameters, options, attributes that keep them."""
