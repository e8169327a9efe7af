//! Numbers as CPython writes them.

use super::error::MessageError;

/// CPython's `sys.int_info.default_max_str_digits`: the maximum length of an integer.
const MAX_INTEGER_DIGITS: usize = 4300;

/// Writes the JSON number at byte `at` as `json.dumps` does.
pub(super) fn write(text: &str, at: usize, out: &mut String) -> Result<(), MessageError> {
    if text.contains(['.', 'e', 'E']) {
        write_float(text, out);
        return Ok(());
    }
    let digits = text.trim_start_matches('-').len();
    if digits > MAX_INTEGER_DIGITS {
        return Err(MessageError::IntegerTooLong {
            digits,
            limit: MAX_INTEGER_DIGITS,
            at,
        });
    }
    // Python's integer zero has no sign.
    out.push_str(if text == "-0" { "0" } else { text });
    Ok(())
}

/// Writes a float as `repr` does: with the fewest digits that parse as the same number,
/// and with an exponent below 1e-4 and from 1e16 on.
fn write_float(text: &str, out: &mut String) {
    // The grammar was checked, so Rust's parser accepts the text.
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        out.push_str("Infinity");
        return;
    }
    if value == 0.0 {
        out.push_str("0.0");
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let (digits, point) = shortest(buffer.format_finite(value.abs()));
    let count = digits.len();
    match point {
        -3..=0 => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', point.unsigned_abs()));
            out.push_str(&digits);
        }
        1..=16 => {
            let whole = point.unsigned_abs();
            if whole >= count {
                out.push_str(&digits);
                out.extend(std::iter::repeat_n('0', whole - count));
                out.push_str(".0");
            } else {
                out.push_str(&digits[..whole]);
                out.push('.');
                out.push_str(&digits[whole..]);
            }
        }
        _ => {
            let exponent = point - 1;
            out.push_str(&digits[..1]);
            if count > 1 {
                out.push('.');
                out.push_str(&digits[1..]);
            }
            let sign = if exponent < 0 { '-' } else { '+' };
            out.push('e');
            out.push(sign);
            out.push_str(&format!("{:02}", exponent.unsigned_abs()));
        }
    }
}

/// Splits ryu's text into its significant digits and the position of the decimal point,
/// counted from before the first digit.
fn shortest(text: &str) -> (String, isize) {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<isize>().unwrap_or(0)),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let leading = all.len() - all.trim_start_matches('0').len();
    let digits = all.trim_matches('0').to_owned();
    let point = whole.len().cast_signed() - leading.cast_signed() + exponent;
    (digits, point)
}
