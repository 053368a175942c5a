"""A training step asks a helper what a network predicts, and the helper records a graph for it."""


def guess(teacher, images):
    scores = teacher(images)  #! TRN303
    return scores.argmax(dim=1)


def train(student, teacher, optimizer, loader):
    for images, _ in loader:
        targets = guess(teacher, images)
        loss = compare(student(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
