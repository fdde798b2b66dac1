"""A published set over HTTP: from a request to its status, its headers and its bytes, without any framework."""
