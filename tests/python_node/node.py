#!/usr/bin/env python3
"""A small node, written only from docs/specification.md and docs/signing.md.

It needs nothing but the standard library. It keeps everything in memory, handles one connection at
a time, and makes a block when a transaction waits. It is an example and a test, and no node for
anything of worth: its private keys are public.

    node.py [--port N] [--fund ADDRESS]... [--protocol HTTP/1.1]

It prints its base URL, its contract and its currency, one per line.
"""

import argparse
import hashlib
import hmac
import json
import math
import re
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import unquote_to_bytes, urlsplit

CURRENCY = "PYT"
CONTRACT = "ct" + "5a" * 20
FEE = 1_000_000
COLUMNS = ["address", "asset_id", "asset_type", "verifier_address", "outcome", "doc_hash_list",
           "doc_link_list", "remarks", "deletable_after"]
PARAMETERS = {
    "/get-block": ["block_index"],
    "/get-balances": ["balance_type"],
    "/sc-state": ["table_name", "contract_address", "unique_column", "unique_value"],
    "/get-trustscore-wallets": ["src_wallet_address", "dst_wallet_address"],
}

# secp256k1, in Jacobian coordinates. None is the point at infinity.

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8, 1)


def double(point):
    x, y, z = point
    s = 4 * x * y * y % P
    m = 3 * x * x % P
    x3 = (m * m - 2 * s) % P
    return x3, (m * (s - x3) - 8 * pow(y, 4, P)) % P, 2 * y * z % P


def add(one, other):
    if one is None or other is None:
        return one or other
    (x1, y1, z1), (x2, y2, z2) = one, other
    u1, u2 = x1 * z2 * z2 % P, x2 * z1 * z1 % P
    s1, s2 = y1 * pow(z2, 3, P) % P, y2 * pow(z1, 3, P) % P
    if u1 == u2:
        return double(one) if s1 == s2 else None
    h, r = u2 - u1, s2 - s1
    hh = h * h % P
    hhh, v = h * hh % P, u1 * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return x3, (r * (v - x3) - s1 * hhh) % P, h * z1 * z2 % P


def times(factor, point):
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point = double(point)
        factor >>= 1
    return result


def public_key(point):
    x, y, z = point
    inverse = pow(z, -1, P)
    x, y = x * inverse**2 % P, y * inverse**3 % P
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


# Keccak-256: like SHA3-256, with another padding.

def keccak_256(data):
    mask, rate = 2**64 - 1, 136

    def rotate(lane, by):
        by %= 64
        return (lane << by | lane >> (64 - by)) & mask

    data = bytearray(data) + b"\x01"
    data += bytes(-len(data) % rate)
    data[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(data), rate):
        for i in range(rate // 8):
            word = int.from_bytes(data[start + 8 * i:start + 8 * i + 8], "little")
            lanes[i % 5][i // 5] ^= word
        register = 1
        for _ in range(24):
            c = [a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] for a in lanes]
            d = [c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1) for x in range(5)]
            lanes = [[lanes[x][y] ^ d[x] for y in range(5)] for x in range(5)]
            x, y, current = 1, 0, lanes[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, lanes[x][y] = lanes[x][y], rotate(current, (t + 1) * (t + 2) // 2)
            lanes = [[lanes[x][y] ^ (~lanes[(x + 1) % 5][y] & lanes[(x + 2) % 5][y])
                      for y in range(5)] for x in range(5)]
            for j in range(7):
                register = (register << 1 ^ (register >> 7) * 0x171) % 256
                if register & 2:
                    lanes[0][0] ^= 1 << ((1 << j) - 1)
    return b"".join(lanes[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


# Wallets and signatures.

def address_of(key):
    return "0x" + keccak_256(key).hex()[-40:]


def message_digest(document):
    return hashlib.sha1(json.dumps(document).encode()).digest()


class Wallet:
    def __init__(self, name):
        self.secret = int.from_bytes(hashlib.sha256(name.encode()).digest(), "big") % (N - 1) + 1
        self.public = public_key(times(self.secret, G))
        self.address = address_of(self.public)

    def sign(self, document):
        digest = message_digest(document)
        seed = hmac.digest(self.secret.to_bytes(32, "big"), digest, "sha256")
        nonce = int.from_bytes(seed, "big") % (N - 1) + 1
        r = int.from_bytes(public_key(times(nonce, G))[:32], "big") % N
        s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * self.secret) % N
        s = min(s, N - s)
        return (r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex()


def signed_by(document, signature, address):
    """Recovers the possible public keys from the signature, and compares their addresses."""
    if not re.fullmatch("[0-9a-fA-F]{128}", signature):
        return False
    r, s = int(signature[:64], 16), int(signature[64:], 16)
    if not (0 < r < N and 0 < s < N):
        return False
    digest = int.from_bytes(message_digest(document), "big")
    inverse = pow(r, -1, N)
    for x in (r, r + N):
        square = (pow(x, 3, P) + 7) % P
        y = pow(square, (P + 1) // 4, P)
        if x >= P or y * y % P != square:
            continue
        for y in (y, P - y):
            point = add(times(s * inverse % N, (x, y, 1)), times(-digest * inverse % N, G))
            if point and address_of(public_key(point)) == address:
                return True
    return False


# What values look like.

def is_integer(value):
    return type(value) is int


def is_number(value):
    return type(value) is int or type(value) is float and math.isfinite(value)


def is_string(value):
    return type(value) is str


def is_strings(value):
    return type(value) is list and all(is_string(item) for item in value)


def is_address(value):
    return is_string(value) and re.fullmatch("0x[0-9a-f]{40}", value) is not None


def is_contract(value):
    return is_string(value) and re.fullmatch("ct[0-9a-fA-F]{40}", value) is not None


def is_code(value):
    return is_string(value) and re.fullmatch("[0-9a-fA-F]{40}", value) is not None


def is_addresses(value):
    return type(value) is list and all(is_address(item) for item in value)


def is_object(value):
    return type(value) is dict


CLAIM = {"asset_id": is_string, "asset_type": is_string, "verifier_address": is_address,
         "outcome": is_integer, "doc_hash_list": is_strings, "doc_link_list": is_strings,
         "remarks": is_string, "deletable_after": is_integer}
CALL = {"sc_address": is_contract, "function_called": is_string, "signers": is_addresses,
        "params": is_object}
SPECIFIC = {"address": is_contract, "function": is_string, "signers": is_addresses,
            "params": is_object}
TRANSACTION = {"timestamp": is_integer, "trans_code": is_code, "type": is_integer,
               "currency": is_string, "fee": is_number, "descr": is_string, "valid": is_integer,
               "specific_data": is_object}
SIGNATURE = {"wallet_address": is_address, "msgsign": is_string}


class Refused(Exception):
    """A request that is refused with a status that is not 2xx."""

    def __init__(self, status, detail):
        super().__init__(detail)
        self.status = status


class Invalid(Exception):
    """A submission that is not valid."""


def check(value, members, error):
    if not is_object(value):
        raise error("an object is expected")
    for name, is_right in members.items():
        if name not in value:
            raise error(f"{name} is missing")
        if not is_right(value[name]):
            raise error(f"{name} is malformed")


def unprocessable(detail):
    return Refused(422, detail)


class Chain:
    def __init__(self, funded):
        self.validators = [Wallet(f"validator {i}") for i in range(3)]
        self.last_time = 0
        self.blocks, self.pending, self.known, self.records = [], [], {}, []
        wallets = [wallet.address for wallet in self.validators]
        holders = {address: 10**12 for address in wallets + funded}
        self.balances = {CURRENCY: holders, "PYTSHARE": {wallets[0]: 7, wallets[1]: 11}}
        self.trust = {(one, other): 1 for one in wallets for other in wallets if one != other}
        self.make_block()
        for index, wallet in enumerate(self.validators):
            built = self.build({
                "sc_address": CONTRACT, "function_called": "add_verification",
                "signers": [wallet.address], "params": {
                    "asset_id": f"asset-{index}", "asset_type": "token",
                    "verifier_address": wallet.address, "outcome": 1,
                    "doc_hash_list": ["ab" * 32], "doc_link_list": ["https://example.org/doc"],
                    "remarks": "größer", "deletable_after": 1347344}})
            built["transaction"]["fee"] = FEE
            signature = wallet.sign(built["transaction"])
            built["signatures"] = [{"wallet_address": wallet.address, "msgsign": signature}]
            self.submit(built)
            self.make_block()

    def now(self):
        """Milliseconds since the Unix epoch. No two calls return the same."""
        self.last_time = max(time.time_ns() // 1_000_000, self.last_time + 1)
        return self.last_time

    # Blocks

    def make_block(self):
        previous = self.blocks[-1] if self.blocks else None
        previous_hash = "0" * 64
        if previous:
            text = json.dumps(previous, sort_keys=True)
            previous_hash = hashlib.sha256(text.encode()).hexdigest()
        index = len(self.blocks) + 1
        miner = self.validators[index % 3].address
        self.blocks.append({
            "index": index, "timestamp": self.now(), "proof": 42, "status": 1,
            "text": {
                "transactions": [self.execute(signed, miner) for signed in self.pending],
                "previous_block_receipts": self.receipts(previous, previous_hash)},
            "creator_wallet": miner, "expected_miner": miner,
            "committee": [wallet.address for wallet in self.validators],
            "previous_hash": previous_hash})
        self.pending = []

    def receipts(self, block, block_hash):
        receipts = []
        for wallet in self.validators if block else []:
            data = {"block_index": block["index"], "block_hash": block_hash,
                    "vote": 9 if wallet.address == block["creator_wallet"] else 1,
                    "timestamp": self.now(), "wallet_address": wallet.address}
            receipts.append({"data": data, "public_key": wallet.public.hex(),
                             "signature": wallet.sign(data)})
        return receipts

    def execute(self, signed, miner):
        transaction = signed["transaction"]
        call = transaction["specific_data"]
        payer, fee = call["signers"][0], int(transaction["fee"])
        self.balances[CURRENCY][payer] -= fee
        self.balances[CURRENCY][miner] += fee
        self.records.append({"address": call["address"], **call["params"],
                             "verifier_address": payer})
        return signed

    # Queries

    def get_block(self, query):
        index = query["block_index"]
        if not re.fullmatch("[1-9][0-9]{0,9}", index) or int(index) > len(self.blocks):
            raise Refused(400, "Block not found")
        return self.blocks[int(index) - 1]

    def get_balances(self, query):
        kind, wallet, token = (query.get(name) for name in
                               ["balance_type", "wallet_address", "token_code"])
        if kind == "TOKEN_IN_WALLET" and wallet is not None and token is not None:
            return {"balance": self.balances.get(token, {}).get(wallet, 0)}
        if kind == "ALL_TOKENS_IN_WALLET" and wallet is not None:
            return {"balance": [{"token_code": token, "balance": holders[wallet]}
                                for token, holders in self.balances.items() if wallet in holders]}
        if kind == "ALL_WALLETS_FOR_TOKEN" and token is not None:
            return {"balance": [{"wallet": wallet, "token_code": token, "balance": balance}
                                for wallet, balance in self.balances.get(token, {}).items()]}
        raise unprocessable("balance_type is unknown, or a parameter that it uses is missing")

    def sc_state(self, query):
        column = query["unique_column"]
        if query["table_name"] != "verification" or column not in COLUMNS:
            raise Refused(400, "no such table or column")
        for record in self.records:
            found = (record["address"], str(record[column]))
            if found == (query["contract_address"], query["unique_value"]):
                return {"status": "SUCCESS", "value": record}
        return {"status": "SUCCESS", "value": None}

    def get_trust(self, query):
        pair = (query["src_wallet_address"], query["dst_wallet_address"])
        if pair not in self.trust:
            raise Refused(400, "Trust score not available")
        return {"status": "SUCCESS", "trust_score": self.trust[pair]}

    # Transactions

    def build(self, body):
        check(body, CALL, unprocessable)
        transaction = {
            "timestamp": self.now(), "type": 3, "currency": CURRENCY, "fee": 0.0, "descr": "",
            "valid": 1, "specific_data": {
                "address": body["sc_address"], "function": body["function_called"],
                "signers": body["signers"], "params": body["params"]}}
        text = json.dumps(transaction).encode()
        code = hashlib.blake2b(text, digest_size=20).hexdigest()
        return {"transaction": {"timestamp": transaction["timestamp"], "trans_code": code,
                                **transaction}, "signatures": []}

    def submit(self, body):
        try:
            new = self.accept(body)
            result = (True, "Transaction economic validation successful", new)
        except Invalid as reason:
            result = (False, str(reason), True)
        names = ("valid", "msg", "new_transaction")
        return {"status": "SUCCESS", "response": dict(zip(names, result))}

    def accept(self, body):
        """Returns whether the transaction is new."""
        if not is_object(body) or type(body.get("signatures")) is not list:
            raise unprocessable("an object with transaction and signatures is expected")
        transaction, signatures = body.get("transaction"), body["signatures"]
        check(transaction, TRANSACTION, unprocessable)
        call = transaction["specific_data"]
        check(call, SPECIFIC, unprocessable)
        for signature in signatures:
            check(signature, SIGNATURE, unprocessable)
        text = json.dumps(transaction)
        if len(text) > 4096:
            raise Invalid("Transaction size exceeded")
        signers = call["signers"]
        if not signers or len(set(signers)) != len(signers):
            raise Invalid("signers are missing or repeated")
        if sorted(signers) != sorted(entry["wallet_address"] for entry in signatures):
            raise Invalid("each signer has to provide one signature")
        for entry in signatures:
            if not signed_by(transaction, entry["msgsign"], entry["wallet_address"]):
                raise Invalid("Transaction has invalid signatures")
        code = transaction["trans_code"].lower()
        if code in self.known:
            if self.known[code] != text:
                raise Invalid("another transaction has this code")
            return False
        self.validate(transaction, call)
        self.known[code] = text
        self.pending.append({"transaction": transaction, "signatures": signatures})
        return True

    def validate(self, transaction, call):
        if transaction["type"] != 3 or transaction["valid"] != 1:
            raise Invalid("only valid contract calls are taken")
        if transaction["currency"] != CURRENCY:
            raise Invalid("fees are paid in " + CURRENCY)
        fee = transaction["fee"]
        if fee < FEE or fee != int(fee):
            raise Invalid(f"Not enough fee. The minimum is {FEE}")
        payer = call["signers"][0]
        waiting = [signed["transaction"] for signed in self.pending]
        due = sum(int(other["fee"]) for other in waiting
                  if other["specific_data"]["signers"][0] == payer)
        if self.balances[CURRENCY].get(payer, 0) < due + fee:
            raise Invalid("Fee validation failed")
        if call["address"] != CONTRACT or call["function"] != "add_verification":
            raise Invalid("no such contract or function")
        check(call["params"], CLAIM, Invalid)


def openapi():
    def operation(names, method, optional=()):
        parameters = [{"name": name, "in": "query", "required": name in names,
                       "schema": {"type": "string"}} for name in [*names, *optional]]
        return {method: {"parameters": parameters, "responses": {"200": {"description": "OK"}}}}

    paths = {path: operation(names, "get") for path, names in PARAMETERS.items()}
    paths["/get-balances"] = operation(
        PARAMETERS["/get-balances"], "get", ["wallet_address", "token_code"])
    paths |= {path: operation([], "post") for path in ("/call-sc", "/submit-transaction")}
    return {"openapi": "3.0.2", "info": {"title": "Python node", "version": "1"}, "paths": paths}


DOCS = """<!DOCTYPE html><html lang="en"><title>Python node</title><h1>APIs</h1>
<p>The listing is <a href="/openapi.json">an OpenAPI document</a>.</p><pre id="listing"></pre>
<script>fetch("/openapi.json").then(r => r.text()).then(t => listing.textContent = t)</script>
"""


def no_constants(name):
    raise ValueError(name + " is not JSON")


class Handler(BaseHTTPRequestHandler):
    timeout = 60

    def log_message(self, *_):
        pass

    def do_GET(self):
        chain = self.server.chain
        if chain.pending:
            chain.make_block()
        self.respond({
            "/get-block": lambda: chain.get_block(self.query()),
            "/get-balances": lambda: chain.get_balances(self.query()),
            "/sc-state": lambda: chain.sc_state(self.query()),
            "/get-trustscore-wallets": lambda: chain.get_trust(self.query()),
            "/openapi.json": openapi,
            "/docs": lambda: DOCS,
        })

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,7}", length):
            self.close_connection = True
            self.send(411, {"detail": "Content-Length is missing or too large"})
            return
        body = self.rfile.read(int(length))
        chain = self.server.chain
        self.respond({
            "/call-sc": lambda: chain.build(self.document(body)),
            "/submit-transaction": lambda: chain.submit(self.document(body)),
        })

    def respond(self, operations):
        path = urlsplit(self.path).path
        known = path in PARAMETERS or path in ("/call-sc", "/submit-transaction", "/docs")
        try:
            if path not in operations:
                raise Refused(405, "Method Not Allowed") if known else Refused(404, "Not Found")
            self.send(200, operations[path]())
        except Refused as refused:
            self.send(refused.status, {"detail": str(refused)})

    def query(self):
        """Returns the parameters. Each occurs once, in UTF-8."""
        url = urlsplit(self.path)
        query = {}
        for pair in filter(None, url.query.split("&")):
            name, _, value = pair.partition("=")
            try:
                name, value = (unquote_to_bytes(part.replace("+", " ")).decode()
                               for part in (name, value))
            except UnicodeDecodeError:
                raise unprocessable("the query is not UTF-8") from None
            if name in query:
                raise unprocessable(f"{name} is repeated")
            query[name] = value
        for name in PARAMETERS[url.path]:
            if name not in query:
                raise unprocessable(f"{name} is missing")
        return query

    def document(self, body):
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "Content-Type: application/json is expected")
        try:
            return json.loads(body.decode(), parse_constant=no_constants)
        except (ValueError, RecursionError):
            raise unprocessable("the body is not JSON") from None

    def send(self, status, content):
        html = isinstance(content, str)
        body = (content if html else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8" if html else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description="A small node for tests")
    parser.add_argument("--port", type=int, default=8420, help="0 for a free one")
    parser.add_argument("--fund", action="append", default=[], metavar="ADDRESS")
    parser.add_argument("--protocol", choices=["HTTP/1.0", "HTTP/1.1"], default="HTTP/1.1",
                        help="HTTP/1.1 keeps connections open, HTTP/1.0 does not")
    options = parser.parse_args()
    Handler.protocol_version = options.protocol
    server = HTTPServer(("127.0.0.1", options.port), Handler)
    server.chain = Chain(options.fund)
    print(f"http://127.0.0.1:{server.server_port}", CONTRACT, CURRENCY, sep="\n", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
