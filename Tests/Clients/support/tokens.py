"""Tokens that nobody signed, which an emulator believes."""

from __future__ import annotations

import base64
import json


def unsigned(uid: str, **claims) -> str:
    """As test tools make them."""

    def part(value) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": uid, "user_id": uid, "iat": 0, "exp": 3600, **claims}
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."
