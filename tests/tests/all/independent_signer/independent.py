"""Signs and verifies transactions, and shares no code with this workspace.

Nothing but Python's own library: the curve from its parameters (SEC 2, 2.4.1), Keccak from its
definition, and json.dumps for what is signed, as nodes were seen to use it.

  independent.py sign PRIVATE_KEY < transaction > submission
  independent.py verify < submission       (prints who signed; ends with 1 where a signature is wrong)
  independent.py address PRIVATE_KEY
"""
import hashlib
import json
import secrets
import sys

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(k, point):
    total = None
    while k:
        if k & 1:
            total = add(total, point)
        point = add(point, point)
        k >>= 1
    return total


def keccak256(data):
    rate, lanes = 136, [0] * 25
    data = bytearray(data) + b"\x01"
    data += b"\x00" * (-len(data) % rate)
    data[-1] |= 0x80
    turn = lambda v, n: ((v << n) | (v >> (64 - n))) & (2**64 - 1) if n else v
    for start in range(0, len(data), rate):
        for i in range(rate // 8):
            lanes[i] ^= int.from_bytes(data[start + 8 * i : start + 8 * i + 8], "little")
        shift = 1
        for _ in range(24):
            column = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
            for x in range(5):
                mix = column[(x - 1) % 5] ^ turn(column[(x + 1) % 5], 1)
                for y in range(5):
                    lanes[x + 5 * y] ^= mix
            x, y, current = 1, 0, lanes[1]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, lanes[x + 5 * y] = lanes[x + 5 * y], turn(current, (t + 1) * (t + 2) // 2 % 64)
            for y in range(0, 25, 5):
                row = lanes[y : y + 5]
                for x in range(5):
                    lanes[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
            for j in range(7):
                if shift & 1:
                    lanes[0] ^= 1 << (2**j - 1)
                shift = (shift << 1) ^ (0x171 if shift & 0x80 else 0)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def address(point):
    return "0x" + keccak256(point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")).hex()[-40:]


def digest(transaction):
    return int.from_bytes(hashlib.sha1(json.dumps(transaction).encode()).digest(), "big")


def sign(key, transaction):
    while True:
        nonce = secrets.randbelow(N - 1) + 1
        r = times(nonce, G)[0] % N
        s = pow(nonce, -1, N) * (digest(transaction) + r * key) % N
        if r and s:
            return (r.to_bytes(32, "big") + s.to_bytes(32, "big")).hex()


def signers(transaction, signature):
    """The addresses that can have made a signature: it names no key, so the key is recovered."""
    r, s = int(signature[:64], 16), int(signature[64:], 16)
    e = digest(transaction)
    root = pow(r**3 + 7, (P + 1) // 4, P)
    for y in (root, P - root):
        if (y * y - r**3 - 7) % P:
            continue
        inverse = pow(r, -1, N)
        point = add(times(s * inverse % N, (r, y)), times(-e * inverse % N, G))
        if point:
            yield address(point)


def main():
    command = sys.argv[1]
    if command == "address":
        print(address(times(int(sys.argv[2], 16), G)))
        return
    text = sys.stdin.read()
    if command == "sign":
        key, transaction = int(sys.argv[2], 16), json.loads(text)
        entry = {"wallet_address": address(times(key, G)), "msgsign": sign(key, transaction)}
        # The transaction's own text: it must not change between signing and sending.
        print('{"transaction":%s,"signatures":[%s]}' % (text.strip(), json.dumps(entry)))
    else:
        submission = json.loads(text)
        for entry in submission["signatures"]:
            wallet = entry["wallet_address"]
            if wallet not in signers(submission["transaction"], entry["msgsign"]):
                sys.exit("the signature of %s is wrong" % wallet)
            print(wallet)


main()
