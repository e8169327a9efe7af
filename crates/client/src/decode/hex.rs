//! Fast decoding of a fixed number of bytes from hexadecimal digits.

/// Returns the bytes of hexadecimal digits. Upper-case digits are accepted only if `upper` is set.
///
/// There are no branches, so the compiler can process many digits at once. If this returns `None`,
/// the caller uses the type's own parser, whose error has the reason.
pub(crate) fn hex_bytes<const DIGITS: usize, const BYTES: usize>(
    digits: &[u8; DIGITS],
    upper: bool,
) -> Option<[u8; BYTES]> {
    const { assert!(DIGITS == 2 * BYTES) };
    if !all_hex(digits, upper) {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks().0) {
        // Both digits at once. The first digit is in the low byte.
        let pair = u16::from_le_bytes(*pair);
        let nibbles = (pair & 0x0f0f) + 9 * ((pair >> 6) & 0x0101);
        let [value, _] = ((nibbles << 4) | (nibbles >> 8)).to_le_bytes();
        *byte = value;
    }
    Some(bytes)
}

/// Returns whether all characters are hexadecimal digits. Upper-case digits count only if `upper`
/// is set.
pub(crate) fn all_hex(digits: &[u8], upper: bool) -> bool {
    let fold = if upper { 0x20 } else { 0 };
    let strange = digits.iter().fold(0_u8, |strange, digit| {
        let letter = u8::from((digit | fold).wrapping_sub(b'a') < 6);
        let number = u8::from(digit.wrapping_sub(b'0') < 10);
        strange | ((letter | number) ^ 1)
    });
    strange == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_slow_way_on_every_byte() {
        for byte in u8::MIN..=u8::MAX {
            let character = char::from(byte);
            assert_eq!(all_hex(&[byte], true), character.is_ascii_hexdigit());
            let lower = character.is_ascii_hexdigit() && !character.is_ascii_uppercase();
            assert_eq!(all_hex(&[byte], false), lower);
            let slow = character.to_digit(16).map(|digit| [digit as u8 * 17]);
            assert_eq!(hex_bytes::<2, 1>(&[byte, byte], true), slow);
        }
        assert_eq!(hex_bytes(b"09afAF", true), Some([0x09, 0xaf, 0xaf]));
    }
}
