"""A `no_sync` of an engine."""


class Engine:
    def no_sync(self):
        return self.strategy.block()

    def step(self, batch):
        loss = self.run(batch)
        with self.no_sync():
            loss.backward()
