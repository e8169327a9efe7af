import hashlib
import json
from typing import Any

from eth_keys.datatypes import PrivateKey


def sign(document: dict[str, Any], private_key: str) -> tuple[str, str]:
    """Returns the address and the signature of a wallet for a transaction."""
    key = PrivateKey(bytes.fromhex(private_key))
    digest = hashlib.sha1(json.dumps(document).encode()).digest()
    signature = key.sign_msg_hash(digest.rjust(32, b"\0"))
    return key.public_key.to_address(), signature.to_bytes()[:64].hex()
