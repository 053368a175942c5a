"""A model in other processes: batches leave through a socket, from whatever memory they lie in."""



def first_half(x):
    return x.to("cuda:0", non_blocking=True) * 2


