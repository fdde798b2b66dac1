"""What contracts about object stores share: an S3 server."""

from __future__ import annotations

from support.s3 import s3_server

__all__ = ["s3_server"]
