"""What `author new` leaves for the author, in words that `author doctor` finds."""

from __future__ import annotations

UNTRANSLATED = "（待译）"
"""Stands before a Chinese title that is still to be written."""
