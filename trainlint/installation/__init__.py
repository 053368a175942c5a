"""The installation that trainlint runs in: rule packs and versions, what results depend on, texts kept beside it."""
