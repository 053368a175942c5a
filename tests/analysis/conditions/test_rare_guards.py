"""Which tests let code run only now and then? Each snippet is a guard as people write it.

A mark says of its line whether a test between it and the loop around it makes it `rare`, or leaves it `often`.
"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Block, BlockKind

SNIPPETS = {
    "all steps so far": """
        for i, batch in enumerate(loader):
            done = i + batches * epoch
            if done < 3:
                plot()  #= rare
            if done > 3:
                train(batch)  #= often
    """,
    "what training hands over none of, or has on the first call only": """
        def forward(self, x, kv_cache=None, train=True):
            for p in self.parameters():
                state = self.state[p]
                if not state:
                    start(p)  #= rare
                if kv_cache is not None:
                    x = kv_cache(x)  #= rare
                if train:
                    compute(x)  #= often
                else:
                    predict(x)  #= rare
    """,
    "what an object keeps grows until it is large enough": """
        class Table(Module):
            def make(self, size):
                self.places = made(size)
            def forward(self, x):
                for layer in self.layers:
                    if len(x) > self.places.size(0):
                        self.make(len(x))  #= rare
                    if self.rows.shape[0] < len(x):
                        self.rows = made(len(x))  #= rare
                    if len(x) > len(self.layers):
                        x = layer(x)  #= often
        """,
    "intervals": """
        for step, batch in enumerate(loader):
            if step % 100 == 0:
                log()  #= rare
            if not step % args.log_every:
                log()  #= rare
            if 0 == (step + 1) % args.log_every:
                log()  #= rare
            if step % 100 == 99 and rank == 0:
                log()  #= rare
            if step % 50 in (0, 1):
                log()  #= rare
            if (rest := step % 50) == 0:
                log()  #= rare
            if step % 50 == 0 if args.every else False:
                log()  #= rare
            if 0 <= step % 50 < 3:
                log()  #= rare
            if step % 50 > 3 or 3 < step % 50:
                log()  #= often
            if step % 2 == 0:
                swap()  #= often
            if step % args.accumulation_steps == 0:
                optimizer.step()  #= often
    """,
    "a loader's prefetching that is on by default": """
        parser.add_argument("--no-prefetcher", action="store_true")
        args = parser.parse_args()
        args.prefetcher = not args.no_prefetcher
        for step, batch in enumerate(loader):
            if not args.prefetcher:
                batch = batch.cuda()  #= rare
            if args.no_prefetcher:
                batch = batch.cuda()  #= rare
            if args.prefetcher:
                train(batch)  #= often
    """,
    "early exits": """
        for step, batch in enumerate(loader):
            train(batch)  #= often
            if step % 100:
                continue
            log()  #= rare

        for step, batch in enumerate(loader):
            if not self._should_log(step):
                continue
            log()  #= rare
    """,
    "steps since the last time": """
        for batch in loader:
            if step - last_log_step >= args.log_every:
                log()  #= rare
                last_log_step = step
            if global_step >= next_save:
                save()  #= rare
            if steps_since_eval >= args.eval_steps:
                evaluate()  #= rare
            if step - args.warmup > 0:
                decay()  #= often
            if step >= args.warmup_steps:
                decay()  #= often
    """,
    "time": """
        for batch in loader:
            if time.time() - last > 60:
                log()  #= rare
            now = time.perf_counter()
            elapsed = now - started
            if elapsed > args.seconds:
                log()  #= rare
            if elapsed > 0:
                speed = tokens / elapsed  #= often
            if time.time() > deadline:
                save()  #= rare
            if now - last < 30:
                continue
            log()  #= rare
    """,
    "listed steps, first steps, chance": """
        for step, batch in enumerate(loader):
            if step in args.save_steps:
                save()  #= rare
            if step not in (1, 10, 100):
                train()  #= often
            if step == 0 or step == len(loader) - 1:
                show()  #= rare
            if step < 3:
                show()  #= rare
            if step < args.warmup_steps:
                warm_up()  #= often
            if random.random() < 0.01:
                show()  #= rare
            if random.random() < args.mixup:
                mix()  #= often
            if last_step:
                save()  #= rare
    """,
    "booleans computed before": """
        for step, batch in enumerate(loader):
            due = step % args.every == 0
            wanted = False
            if due:
                wanted = True
            if wanted:
                log()  #= rare
            good = False
            if batch.valid:
                good = True
            if good:
                train()  #= often
            either = due if rank == 0 else False
            if either:
                log()  #= rare
    """,
    "booleans kept on the object": """
        class Trainer:
            def step(self, batch):
                self.due = self.steps % 100 == 0
                self.good = batch.valid
                for part in batch:
                    if self.due:
                        log()  #= rare
                    if self.good:
                        train()  #= often
    """,
    "ranks are no guards": """
        for batch in loader:
            if rank == 0:
                log()  #= often
            if accelerator.is_main_process:
                log()  #= often
            if local_rank in (-1, 0):
                log()  #= often
            if n_gpu == 1:
                log()  #= often
            if accelerator.sync_gradients:
                log()  #= often
    """,
    "failures": """
        for batch in loader:
            if not torch.isfinite(loss).all():
                report()  #= rare
            if torch.isfinite(loss) == False:
                report()  #= rare
            if loss != loss:
                report()  #= rare
            if overflow:
                skip()  #= rare
            if loss.isnan().any():
                continue
            train()  #= often
            finite = math.isfinite(value)
            if not finite:
                report()  #= rare
            elif rank == 0:
                train()  #= often
    """,
    "training or evaluation": """
        for batch in loader:
            if self.training:
                train()  #= often
            else:
                show()  #= rare
            if not model.training:
                show()  #= rare
            if args.eval_only:
                show()  #= rare
            if phase == "val":
                show()  #= rare
            if stage != Stage.TRAIN:
                show()  #= rare
            if mode == "train":
                train()  #= often
            if stage == 2:
                train()  #= often
            if args.mode == "shampoo":
                train()  #= often
    """,
    "options that are off": """
        parser.add_argument("--show-images", action="store_true")
        parser.add_argument("--wandb", default=True)
        parser.add_argument("--amp", action="store_true")
        parser.add_argument("--use_gpu", dest="gpu", default=False)
        parser.add_argument("--trace", default=None)
        args = parser.parse_args()
        for batch in loader:
            if args.show_images:
                show()  #= rare
            if args.wandb:
                log()  #= often
            if args.amp:
                scale()  #= often
            if args.gpu:
                move()  #= often
            if args.trace is not None:
                trace()  #= rare
            if args.debug:
                show()  #= rare
            if config["debug"] or cfg.get("verbose", False):
                show()  #= rare
            if os.environ.get("DEBUG") == "1":
                show()  #= rare
            if os.environ.get("LOCAL_RANK") == "0":
                show()  #= often
            if logger.isEnabledFor(logging.DEBUG):
                show()  #= rare
    """,
    "constants, fields and parameters that are off": """
        TRACE = False
        MONITOR = True
        NEW_LOSS = False

        class Config:
            watch: bool = False

        def train(config, draw=False, inspect=True, writer=None):
            for batch in loader:
                if TRACE:
                    show()  #= rare
                if MONITOR:
                    show()  #= often
                if NEW_LOSS:
                    train()  #= often
                if config.watch:
                    show()  #= rare
                if draw:
                    show()  #= rare
                if inspect:
                    show()  #= often
                if writer is not None:
                    write()  #= often
    """,
    "a parameter that the file passes": """
        def train(draw=False, watch=False):
            for batch in loader:
                if draw:
                    show()  #= often
                if watch:
                    show()  #= rare

        train(True)
        train(watch=False)
    """,
    "made on first use": """
        class Model:
            def forward(self, x, mask=None):
                for layer in self.layers:
                    if self.table is None:
                        self.table = make()  #= rare
                    if mask is None:
                        mask = make()  #= often
                    if self.scale is None:
                        skip()  #= often
                    if not hasattr(self, "cache"):
                        self.cache = make()  #= rare
    """,
    "what never runs": """
        for batch in loader:
            if False:
                show()  #= rare
            if True:
                train()  #= often
    """,
}


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_guards(code: str) -> None:
    model = file_model(code)
    found = [
        (statement.lineno, "rare" if _is_behind_rare_test(model, block) else "often")
        for statement, block, _ in marked(model)
    ]
    assert found == [(statement.lineno, expected) for statement, _, expected in marked(model)]


def _is_behind_rare_test(model: SemanticModel, block: Block) -> bool:
    loop = next(outer for outer in block.outwards() if outer.kind in (BlockKind.LOOP, BlockKind.MODULE))
    return any(condition.rare for condition in model.conditions.around(block, loop))


def test_a_flag_that_feeds_on_itself_ends() -> None:
    model = file_model("""
        class Trainer:
            def step(self, batch):
                self.trace = self.trace
                for part in batch:
                    if self.trace:
                        show()  #= often
    """)
    [(_, block, _)] = marked(model)
    assert not _is_behind_rare_test(model, block)
