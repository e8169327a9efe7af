# Makes messages.tsv, the table of documents and of what CPython makes of them:
#
#   python3 messages.py
#
# A line is a document (as a JSON string, so that it fits into a line), its signed message, and,
# where that differs, the message with sorted members; or a document and "!" where CPython
# refuses it. Everything is ASCII.
import json
import pathlib
import random
import struct
import sys

random.seed(20261121)
assert sys.version_info >= (3, 11), "older versions convert integers of any length"

PICKED = [
    # What nodes and wallets write.
    '{"timestamp":1795207551000,"trans_code":"a600","type":3,"currency":"NWRL","fee":0.0,"descr":"",'
    '"valid":1,"specific_data":{"signers":["0x1342"],"params":{}},"is_child_txn":false}',
    '{"block_index": 7, "block_hash": "bf0e", "vote": 9, "timestamp": 1795207520000}',
    '{"fee":1000000,"fee":1e6,"descr":"h\u00e9llo \u4e16\u754c \U0001f600"}',
    # Numbers at the edges of floats, of repr's two notations, and of 32, 53, 64 and 128 bits.
    *'0 -0 0.0 -0.0 0e0 -0E+0 1 -1 10 1.0 1.10 1E5 1e5 1e+5 1e-5 1e05 12e-1 0.1 0.2 0.30000000000000004'.split(),
    *'1e15 1e16 1e17 123456789012345.6 1234567890123456.7 12345678901234567.8 9999999999999998.0'.split(),
    *'9999999999999999.0 99999999999999990.0 1e21 1e22 1e23 1e100 1e308 1e309 -1e309 1e-323 1e-324'.split(),
    *'0.001 0.0001 0.00011 0.00001 0.000099999 1e-4 1e-5 9.5e-5 1e-7 5e-324 4.9e-324 2.4703282292062327e-324'.split(),
    *'2.4703282292062328e-324 2.2250738585072011e-308 2.2250738585072014e-308 1.7976931348623157e308'.split(),
    *'1.7976931348623158e308 1.7976931348623159e308 9007199254740991 9007199254740992.0 9007199254740993.0'.split(),
    *'9007199254740993 9007199254740995.0 2147483648 -2147483649 9223372036854775807 9223372036854775808'.split(),
    *'18446744073709551615 18446744073709551616 340282366920938463463374607431768211456'.split(),
    *'8.41e21 2e-44 9.109383632e-31 6.62607015e-34 1.7800590868057611e-307 5.0E-324 4.35e-322'.split(),
    '0.' + '0' * 400 + '1', '1' + '0' * 400, '1' + '0' * 400 + '.0', '0.' + '9' * 400,
    '0.500000000000000166533453693773481063544750213623046875', '1e' + '0' * 50 + '5',
    # What Python reads though JSON does not have it.
    'NaN', 'Infinity', '-Infinity', '[NaN,-Infinity,{"Infinity":Infinity}]',
    # Strings.
    r'""', r'"\u0000\u001f\u007f\u0080"', '"\x7f"', r'"\"\\\/\b\f\n\r\t"', '"/"', r'"\u002f\u0022\u005c"',
    '"\u00e9\u2028\ufeff\uffff\U00010000\U0010ffff"', r'"\ud800"', r'"\udfff"', r'"\udfff\ud800"',
    r'"\ud800\udfff"', r'"\uD800\uDFFF"', r'"\ud800\ud800\udc00"', r'"\ud800x\udc00"', r'"\ud800\n\udc00"',
    # Duplicates, which count by their text and not by its spelling.
    '{"a":1,"b":2,"a":3}', r'{"a":1,"b":2,"\u0061":[]}', r'{"\ud83d\ude00":1,"x":2,"' '\U0001f600":3}',
    r'{"\ud83d":1,"\ud83d":2}', '{"a":{"a":1,"a":2},"a":{"a":3}}', '{"":1,"":2}', '{"z":1,"y":2,"x":3,"z":{}}',
    # Order of sorted members: by code point, not by UTF-16 unit.
    r'{"\uffff":1,"' '\U00010000":2,"a":3,"B":4,"":5,"aa":6}', r'{"\ud83d":1,"' '\U0001f600":2,"\ue000":3}',
    # Space.
    ' \t\r\n[ \n1 , 2\t]\r ', '{ }', '[ ]', ' {"a" : [ ] , "b" : { } } ', '[[],{},[[]],[{}]]',
]
REFUSED = [
    '', ' ', '[', ']', '{', '}', '[1', '[1,', '[,]', '[1,]', '[1 2]', '[1,,2]', '{"a"', '{"a":', '{"a":1', '{"a":1,}',
    '{"a",1}', '{a:1}', "{'a':1}", '{1:2}', '{"a":1 "b":2}', '{"a"::1}', '{,}', '1 2', '[] []', '{}x', '"', '"a', '"\\',
    '"\\"', r'"\x41"', r'"\u12"', r'"\u12g4"', r'"\u+123"', r'"\u 123"', r'"\ud800\u12"', r'"\U0041"', "'a'", '"a\nb"',
    '"\t"', '"\x00"', '"\x1f"', '01', '-01', '00', '1.', '.5', '-.5', '-', '+1', '--1', '1e', '1e+', '1E-', '1.e5', '1.5.5',
    '0x10', '1_000', '1,000', '\u0661', '\uff11', 'nul', 'Null', 'NULL', 'True', 'tru', 'none', 'undefined', 'nan', '-NaN',
    '+Infinity', 'Infinit', '-Inf', 'inf', '\ufeff1', '\ufeff', '\u00a01', '1\u00a0', '\x0b1', '\x0c1', '1\x00', '\x85[]',
    '\u2028[]', '// 1\n1', '/**/1', '1 # one', '7' * 4301, '-' + '7' * 4301,
]


def some_float():
    kind = random.randrange(4)
    if kind == 0:
        value, = struct.unpack('<d', random.randbytes(8))
    elif kind == 1:
        value = random.uniform(-1, 1) * 10 ** random.randint(-10, 25)
    elif kind == 2:
        value, = struct.unpack('<d', (random.getrandbits(random.randint(1, 52))).to_bytes(8, 'little'))
    else:
        value = random.choice([2.0 ** random.randint(-1074, 1023), 10.0 ** random.randint(-300, 300)])
    if value != value or value in (float('inf'), float('-inf')):
        value = 1.5
    form = random.choice(['%r', '%.17g', '%.15e', '%.20E', '%.3f'])
    text = form % value if abs(value) < 1e40 or form != '%.3f' else repr(value)
    return text if any(mark in text for mark in '.eE') else text + '.0'


def number():
    kind = random.randrange(4)
    if kind == 0:
        return str(random.randint(-10 ** random.randint(1, 40), 10 ** random.randint(1, 40)))
    if kind == 1:
        return '%s%d.%de%s%d' % (random.choice(['', '-']), random.randrange(1000), random.randrange(10 ** 9),
                                 random.choice(['', '+', '-', '-0']), random.randrange(330))
    return some_float()


def string():
    out = '"'
    for _ in range(random.randrange(6)):
        kind = random.randrange(6)
        if kind == 0:
            out += random.choice(['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'])
        elif kind == 1:
            out += random.choice(['\\u%04x', '\\u%04X']) % random.randrange(0x10000)
        elif kind == 2:
            out += '\\u%04x' % random.randrange(0xd800, 0xe000)
        elif kind == 3:
            point = random.choice([random.randrange(0x80, 0x800), random.randrange(0x800, 0xd800), random.randrange(0xe000, 0x110000)])
            out += chr(point)
        else:
            out += random.choice('abc xyz/:,{}[]\x7f')
    return out + '"'


def space():
    return random.choice(['', '', '', '', ' ', '\n', '\t ', '\r\n'])


def value(depth):
    kind = random.randrange(8 if depth else 5)
    if kind < 2:
        text = number()
    elif kind < 4:
        text = string()
    elif kind == 4:
        text = random.choice(['null', 'true', 'false'])
    elif kind == 5:
        text = '[' + ','.join(value(depth - 1) for _ in range(random.randrange(4))) + ']'
    else:
        names = ['"a"', '"\\u0061"', '"b"', '"\u00e9"', '"\\u00e9"', '"_"', '"\\ud83d\\ude00"', '"\U0001f600"', '"\\uffff"']
        members = [space() + random.choice(names) + space() + ':' + value(depth - 1) for _ in range(random.randrange(4))]
        text = '{' + ','.join(members) + '}'
    return space() + text + space()


def slip(text):
    at = random.randrange(len(text))
    if random.random() < 0.5:
        return text[:at] + text[at + 1:]
    return text[:at] + random.choice('"\\{}[],:-+.eE09u \n\x01x') + text[at:]


def line(document):
    try:
        read = json.loads(document)
    except ValueError:
        return json.dumps(document) + '\t!'
    message, ordered = json.dumps(read), json.dumps(read, sort_keys=True)
    parts = [json.dumps(document), message] + [ordered] * (ordered != message)
    return '\t'.join(parts)


documents = PICKED + REFUSED
assert all(line(document).endswith('\t!') for document in REFUSED)
assert not any(line(document).endswith('\t!') for document in PICKED)
while len(documents) < 2500:
    document = value(random.randrange(4))
    if len(document) <= 120:
        documents.append(slip(document) if random.random() < 0.15 else document)
table = '\n'.join(map(line, dict.fromkeys(documents))) + '\n'
pathlib.Path(__file__).with_name('messages.tsv').write_bytes(table.encode('ascii'))
