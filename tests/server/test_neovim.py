"""The configuration of docs/editors.md in a real Neovim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.linked_project import UTILS
from tests.environments import REPOSITORY

NEOVIM = shutil.which("nvim")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NEOVIM is None, reason="Neovim (nvim) is not installed"),
]

SESSION = """
local function wait(condition)
  if not vim.wait(60000, condition, 20) then error("waited in vain: " .. vim.inspect(vim.diagnostic.get(0))) end
end
local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
local function codes()
  return vim.tbl_map(function(found) return found.code end, vim.diagnostic.get(0))
end
local seen = {}

wait(function() return vim.deep_equal(codes(), { "TRN201" }) end)
local found = vim.diagnostic.get(0)[1]
seen.place = { found.lnum, found.col, found.end_lnum, found.end_col }
seen.message = found.message
seen.related = #found.user_data.lsp.relatedInformation
vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
seen.hover = request("textDocument/hover", vim.lsp.util.make_position_params()).contents.value

-- What is typed counts, though nothing is saved.
local line = 'name = "\\240\\159\\148\\165"; scaler = torch.cuda.amp.GradScaler()'
vim.api.nvim_buf_set_lines(0, 1, 1, false, { "", line })
wait(function() return #codes() == 2 end)
local params = vim.lsp.util.make_range_params()
params.range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 60 } }
params.context = { diagnostics = {}, only = { "quickfix" } }
local actions = request("textDocument/codeAction", params)
seen.titles = vim.tbl_map(function(action) return action.title end, actions)
local fix = request("codeAction/resolve", actions[1])
vim.lsp.util.apply_workspace_edit(fix.edit, "utf-16")
wait(function() return vim.deep_equal(codes(), { "TRN201" }) end)
seen.fixed = vim.api.nvim_buf_get_lines(0, 2, 3, false)[1]
seen.modified = vim.bo.modified

vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.SEEN)
vim.cmd("qall!")
"""


def test_neovim_shows_explains_and_fixes(project: Path, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/editors.md").read_text(encoding="utf-8")
    block = page.partition("<!-- neovim:start -->\n")[2].partition("<!-- neovim:end -->")[0].strip()
    assert block.startswith("```lua\n")
    (tmp_path / "init.lua").write_text(block.removeprefix("```lua\n").removesuffix("```"))
    (tmp_path / "session.lua").write_text(SESSION)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "trainlint"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m trainlint "$@"\n')
    command.chmod(0o755)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    variables |= {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "SEEN": str(tmp_path / "seen.json"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    assert NEOVIM is not None
    done = subprocess.run(
        [NEOVIM, "--headless", "-u", tmp_path / "init.lua", "pkg/utils.py", "-c", f"luafile {tmp_path}/session.lua"],
        cwd=project,
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (tmp_path / "seen.json").exists(), done
    seen = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    assert seen["place"] == [4, 16, 4, 27]
    assert seen["message"].startswith("`loss.item()` forces a GPU sync in every training step; ")
    assert seen["related"] == 2
    assert "runs each training step: scripts/train.py:7" in seen["hover"]
    assert seen["titles"][0] == "Use torch.amp (TRN801, safe)"
    assert seen["fixed"] == 'name = "\N{FIRE}"; scaler = torch.amp.GradScaler("cuda")'
    assert seen["modified"]
    assert (project / "pkg/utils.py").read_text() == UTILS
