//! Going through a JSON text once. Whatever is not plain, or not JSON, ends it.

/// The most members of one object that nobody described, as each is held against all others.
const MOST_OTHERS: usize = 32;
/// The most digits of a number: more may be beyond 64 bits.
const MOST_DIGITS: usize = 18;

/// A place in a JSON text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    /// How much deeper it may go.
    depth: usize,
}

/// What became of a member of an object.
pub(super) enum Member {
    /// Its value was read; objects have it once, and tell by this bit that they have it.
    Known(u32),
    /// Nobody described it, so its value may be anything, and has not been read.
    Other,
}

impl<'t> Cursor<'t> {
    /// Before a text that may be nested that deep.
    pub(super) const fn new(text: &'t str, depth: usize) -> Self {
        Self { text, at: 0, depth }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    /// Whether that byte comes next.
    pub(super) fn is_at(&self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Goes through an object, handing over each member's name with the cursor before its value, and
    /// tells which of the known ones there were. None is there twice.
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'t str) -> Option<Member>,
    ) -> Option<u32> {
        self.take(b'{')?;
        self.depth = self.depth.checked_sub(1)?;
        let mut known = 0_u32;
        let mut others: Vec<&str> = Vec::new();
        self.space();
        if self.peek()? == b'}' {
            self.at += 1;
        } else {
            loop {
                self.space();
                let name = self.name()?;
                self.space();
                self.take(b':')?;
                self.space();
                match member(self, name)? {
                    Member::Known(bit) => {
                        let bit = 1 << bit;
                        (known & bit == 0).then_some(())?;
                        known |= bit;
                    }
                    Member::Other => {
                        let new = others.len() < MOST_OTHERS && !others.contains(&name);
                        new.then_some(())?;
                        others.push(name);
                        self.any()?;
                    }
                }
                self.space();
                match self.next()? {
                    b',' => {}
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        self.depth += 1;
        Some(known)
    }

    /// Goes through an array, handing over each element's place with the cursor before it, and tells
    /// how many there were.
    pub(super) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Option<()>,
    ) -> Option<usize> {
        self.take(b'[')?;
        self.depth = self.depth.checked_sub(1)?;
        let mut count = 0;
        self.space();
        if self.peek()? == b']' {
            self.at += 1;
        } else {
            loop {
                self.space();
                element(self, count)?;
                count += 1;
                self.space();
                match self.next()? {
                    b',' => {}
                    b']' => break,
                    _ => return None,
                }
            }
        }
        self.depth += 1;
        Some(count)
    }

    /// A member's name, in which nothing is escaped.
    fn name(&mut self) -> Option<&'t str> {
        self.take(b'"')?;
        let rest = self.text.get(self.at..)?;
        let length = rest
            .bytes()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        let name = rest.get(..length)?;
        self.at += length;
        self.take(b'"')?;
        // Readers keep names like that for themselves.
        (!name.starts_with('$')).then_some(name)
    }

    /// A string of that many hexadecimal digits, in lower case if it has to be, after a prefix.
    fn digits(&mut self, prefix: &str, count: usize, upper: bool) -> Option<&'t str> {
        self.take(b'"')?;
        let content = self.text.get(self.at..self.at + prefix.len() + count)?;
        let digits = content.strip_prefix(prefix)?;
        self.at += content.len();
        self.take(b'"')?;
        all_hex(digits, upper).then_some(content)
    }

    /// The address of a wallet.
    pub(super) fn address(&mut self) -> Option<&'t str> {
        self.digits("0x", 40, false)
    }

    /// The hash of a block.
    pub(super) fn hash(&mut self) -> Option<&'t str> {
        self.digits("", 64, true)
    }

    /// The code of a transaction.
    pub(super) fn transaction_code(&mut self) -> Option<&'t str> {
        self.digits("", 40, true)
    }

    /// Hexadecimal text of any length.
    pub(super) fn hex_text(&mut self) -> Option<&'t str> {
        let rest = self.bytes().get(self.at + 1..)?;
        // The length that was seen is tried first: then nothing has to be looked for.
        let length = match rest.get(128) {
            Some(b'"') => 128,
            _ => rest.iter().position(|byte| *byte == b'"')?,
        };
        let text = self.digits("", length, true)?;
        (!text.is_empty()).then_some(text)
    }

    /// An integer that every reader takes for one.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let negative = self.peek()? == b'-';
        self.at += usize::from(negative);
        let rest = self.bytes().get(self.at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
        let mut count = 0;
        let mut value = 0_i64;
        for digit in digits {
            count += 1;
            if count > MOST_DIGITS {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
        }
        let plain = match rest.first()? {
            b'0' => count == 1 && !negative,
            _ => count > 0,
        };
        self.at += count;
        // A fraction or an exponent is no end of a value.
        plain.then_some(if negative { -value } else { value })
    }

    /// Any value at all.
    pub(super) fn any(&mut self) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(|_, _| Some(Member::Other)).map(drop),
            b'[' => self.array(|cursor, _| cursor.any()).map(drop),
            b'"' => self.string(),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let end = self.at + word.len();
        (self.bytes().get(self.at..end)? == word.as_bytes()).then_some(())?;
        self.at = end;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => self.escaped_character()?,
                    _ => return None,
                },
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    /// Four digits that are a character of their own, and no half of one.
    fn escaped_character(&mut self) -> Option<()> {
        let digits = self.text.get(self.at..self.at + 4)?;
        all_hex(digits, true).then_some(())?;
        let whole = u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32);
        self.at += 4;
        whole.map(drop)
    }

    /// A number without exponent, and no longer than every reader takes it.
    fn number(&mut self) -> Option<()> {
        self.integer()?;
        if self.peek()? == b'.' {
            self.at += 1;
            let rest = self.bytes().get(self.at..)?;
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
            let count = digits.take(MOST_DIGITS + 1).count();
            (1..=MOST_DIGITS).contains(&count).then_some(())?;
            self.at += count;
        }
        Some(())
    }
}

/// Whether there are hexadecimal digits and nothing else; upper-case ones only if `upper`.
///
/// It is done without branches, so that the compiler does it for many digits at once.
fn all_hex(digits: &str, upper: bool) -> bool {
    let fold = if upper { 0x20 } else { 0 };
    let strange = digits.bytes().fold(0_u8, |strange, digit| {
        let letter = u8::from((digit | fold).wrapping_sub(b'a') < 6);
        let number = u8::from(digit.wrapping_sub(b'0') < 10);
        strange | ((letter | number) ^ 1)
    });
    strange == 0
}
