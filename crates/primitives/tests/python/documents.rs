//! Random documents: JSON in every form that CPython reads, and text that it rejects.

use std::fmt::Write as _;

/// SplitMix64. It gives the same documents for the same seed on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.bits() % end).unwrap_or(0)
    }

    fn chance(&mut self, in_hundred: usize) -> bool {
        self.below(100) < in_hundred
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Returns a JSON document in CPython's dialect. One in four has errors.
pub(crate) fn document(random: &mut Random) -> String {
    let mut text = String::new();
    let depth = random.below(6);
    value(random, depth, &mut text);
    if random.chance(25) {
        for _ in 0..=random.below(3) {
            text = slip(random, &text);
        }
    }
    text
}

fn value(random: &mut Random, depth: usize, out: &mut String) {
    space(random, out);
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => number(random, out),
        2 | 3 => string(random, out),
        4 => out.push_str(random.pick(&[
            "null",
            "true",
            "false",
            "null",
            "true",
            "false",
            "NaN",
            "Infinity",
            "-Infinity",
        ])),
        5 | 6 => {
            out.push('[');
            list(random, out, |random, out| value(random, depth - 1, out));
            out.push(']');
        }
        _ => {
            out.push('{');
            list(random, out, |random, out| {
                space(random, out);
                name(random, out);
                space(random, out);
                out.push(':');
                value(random, depth - 1, out);
            });
            out.push('}');
        }
    }
    space(random, out);
}

fn list(random: &mut Random, out: &mut String, mut one: impl FnMut(&mut Random, &mut String)) {
    space(random, out);
    for index in 0..random.below(5) {
        if index > 0 {
            out.push(',');
        }
        one(random, out);
    }
}

/// Writes one of a few names, so some occur twice in an object, also with different escapes.
fn name(random: &mut Random, out: &mut String) {
    if random.chance(30) {
        string(random, out);
    } else {
        out.push_str(random.pick(&[
            r#""a""#,
            r#""\u0061""#,
            r#""b""#,
            r#""B""#,
            r#""""#,
            r#""é""#,
            r#""\u00e9""#,
            r#""\u00E9""#,
            r#""😀""#,
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""\uffff""#,
            r#""a/b""#,
            r#""a\/b""#,
        ]));
    }
}

fn space(random: &mut Random, out: &mut String) {
    if random.chance(20) {
        for _ in 0..=random.below(2) {
            out.push(random.pick(&[' ', '\t', '\n', '\r']));
        }
    }
}

fn string(random: &mut Random, out: &mut String) {
    out.push('"');
    for _ in 0..random.below(9) {
        match random.below(8) {
            0 | 1 => {
                let plain = random.pick(b"abcXYZ 0189{}[],:/'<>&\x7f%~");
                out.push(char::from(plain));
            }
            2 => out
                .push_str(random.pick(&[r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t"])),
            3 => out.push(any_character(random)),
            4 => out.push(random.pick(&[
                '\u{80}',
                '\u{a0}',
                'é',
                'ÿ',
                'Ā',
                '߿',
                'ࠀ',
                '\u{2028}',
                '\u{fffd}',
                '\u{ffff}',
                '\u{10000}',
                '😀',
                '\u{10ffff}',
                '\u{feff}',
                '\u{d7ff}',
                '\u{e000}',
            ])),
            5 => unit(random, 0, 0x1_0000, out),
            6 => unit(random, 0xd800, 0x800, out),
            _ => {
                unit(random, 0xd800, 0x400, out);
                unit(random, 0xdc00, 0x400, out);
            }
        }
    }
    out.push('"');
}

fn any_character(random: &mut Random) -> char {
    let most = random.pick(&[0x80, 0x800, 0x1_0000, 0x11_0000]);
    u32::try_from(random.below(most))
        .ok()
        .and_then(char::from_u32)
        .filter(|character| !character.is_ascii_control() && !matches!(character, '"' | '\\'))
        .unwrap_or('x')
}

fn unit(random: &mut Random, from: usize, count: usize, out: &mut String) {
    let unit = from + random.below(count);
    let _infallible = if random.chance(50) {
        write!(out, "\\u{unit:04x}")
    } else {
        write!(out, "\\u{unit:04X}")
    };
}

fn number(random: &mut Random, out: &mut String) {
    match random.below(10) {
        0 => out.push_str(random.pick(&[
            "0",
            "-0",
            "0.0",
            "-0.0",
            "0e0",
            "-0E-0",
            "1E5",
            "1e+05",
            "1e-05",
            "0.1",
            "1e400",
            "-1e400",
            "1e-400",
            "-1e-400",
            "5e-324",
            "2e-324",
            "3e-324",
            "4.9E-324",
            "1e15",
            "1e16",
            "9999999999999999.0",
            "1e17",
            "0.0001",
            "0.00001",
            "1e22",
            "1e23",
            "9007199254740993.0",
            "9007199254740993",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "179769313486231580793e289",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "0.000000000000000000000000000000001",
            "100000000000000000.0",
            "1e99999999999999999999",
            "0e99999999999999999999",
            "1e-99999999999999999999",
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551616",
        ])),
        1 | 2 => integer(random, out),
        3 => some_float(random, out),
        4 => denormal(random, out),
        5 => halfway(random, out),
        6 => near_a_power(random, out),
        _ => decimal(random, out),
    }
}

fn integer(random: &mut Random, out: &mut String) {
    sign(random, out);
    let most = random.pick(&[3, 10, 20, 40, 400]);
    let length = 1 + random.below(most);
    digits(random, length, true, out);
}

fn decimal(random: &mut Random, out: &mut String) {
    sign(random, out);
    let (whole, fraction) = (1 + random.below(25), random.below(30));
    digits(random, whole, true, out);
    if fraction > 0 {
        out.push('.');
        digits(random, fraction, false, out);
    }
    if fraction == 0 || random.chance(50) {
        out.push(random.pick(&['e', 'E']));
        out.push_str(random.pick(&["", "+", "-", "+0", "-00"]));
        let size = random.pick(&[10, 25, 330, 400]);
        let _infallible = write!(out, "{}", random.below(size));
    }
}

/// Writes a float with random bits, in one of the forms that programs use.
fn some_float(random: &mut Random, out: &mut String) {
    let found = f64::from_bits(random.bits());
    write_float(random, if found.is_finite() { found } else { 0.5 }, out);
}

fn denormal(random: &mut Random, out: &mut String) {
    let bits = random.bits() >> (12 + random.below(52));
    write_float(random, f64::from_bits(bits), out);
}

/// Writes a float next to a power of two or ten. There the shortest digits are hardest to find.
fn near_a_power(random: &mut Random, out: &mut String) {
    let power = if random.chance(50) {
        f64::from_bits((random.bits() % 0x7ff) << 52)
    } else {
        let exponent = i32::try_from(random.below(617)).unwrap_or(0) - 308;
        10f64.powi(exponent)
    };
    let beside = power
        .to_bits()
        .saturating_add_signed(i64::try_from(random.below(5)).unwrap_or(0) - 2);
    let found = f64::from_bits(beside);
    write_float(random, if found.is_finite() { found } else { power }, out);
}

fn write_float(random: &mut Random, found: f64, out: &mut String) {
    let text = match random.below(4) {
        0 => format!("{found:e}"),
        1 => format!("{found:.17e}"),
        2 => format!("{found:.25E}"),
        // Writes all digits: up to 300 before the point or 1,074 after it.
        _ if random.chance(10) => format!("{found:.1080}"),
        _ => format!("{found:?}"),
    };
    out.push_str(&text);
    if !text.contains(['.', 'e', 'E']) {
        out.push_str(".0");
    }
}

/// Writes the number exactly between two floats, in decimal.
fn halfway(random: &mut Random, out: &mut String) {
    let odd = u128::from((random.bits() >> 11) | 1 << 52) * 2 + 1;
    let value = odd << random.below(70);
    let _infallible = write!(out, "{value}");
    match random.below(4) {
        0 => out.push_str(".0"),
        1 => out.push_str("e0"),
        2 => out.push_str(".000000000000000000000000000000000001"),
        _ => {
            let last = out.pop().unwrap_or('0');
            out.push('.');
            out.push(last);
            out.push_str("E1");
        }
    }
}

fn sign(random: &mut Random, out: &mut String) {
    if random.chance(30) {
        out.push('-');
    }
}

fn digits(random: &mut Random, count: usize, leading: bool, out: &mut String) {
    // Rounding carries in runs of nines and zeros.
    let kind = random.below(4);
    for index in 0..count {
        let digit = match kind {
            0 => random.pick(b"0000000001"),
            1 => random.pick(b"9999999998"),
            _ => random.pick(b"0123456789"),
        };
        let first = leading && index == 0 && count > 1 && digit == b'0';
        out.push(char::from(if first { b'1' } else { digit }));
    }
}

/// Makes a mistake that a person or a broken program might make.
fn slip(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len() + 1);
    match random.below(6) {
        0 => characters.truncate(at),
        1 if at < characters.len() => {
            characters.remove(at);
        }
        2 if at < characters.len() => characters[at] = odd_character(random),
        3 => {
            let end = (at + random.below(8)).min(characters.len());
            let piece = characters[at..end].to_vec();
            characters.splice(at..at, piece);
        }
        4 => {
            let words = [
                "NaN", "-NaN", "+1", "01", "1.", ".5", "1e", "1e+", "-", "0x1", "nul", "True",
                "Infinity", "-Infinit", "'a'", "\\", "\\u12", "\\x41", "\\ud83d", "//", "/**/",
                ",", ",,", "\u{b}", "\u{c}", "\u{a0}", "\u{feff}", "\0", "\u{85}", "\u{2028}", "١",
                "{}", "[]", "\"\"", "]", "}", ":", "1_000", "1e5_0",
            ];
            characters.splice(at..at, random.pick(&words).chars());
        }
        _ => characters.insert(at, odd_character(random)),
    }
    characters.into_iter().collect()
}

fn odd_character(random: &mut Random) -> char {
    let odd = "\"\\{}[],:-+.eEuU0123456789 \t\n\r\u{1}\u{1f}\u{7f}\u{a0}\u{feff}/*'xé😀";
    let characters: Vec<char> = odd.chars().collect();
    random.pick(&characters)
}
