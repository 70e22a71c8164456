"""What the client tests share: server processes, raw calls, and messages."""
