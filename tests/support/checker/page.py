"""The program that builds the page of the checker."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any
from unittest.mock import patch

from support.checker.node import ROOT

with patch.object(sys, "path", [str(ROOT / "docs" / "make"), *sys.path]):  # as Python does for a script
    checker_page: Any = import_module("checker_page")
