//! Lexer: PTX source to tokens.

use crate::PtxError;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// An identifier, a directive, an opcode with its modifiers, a register.
    Word(String),
    /// An integer literal, as 64 bits.
    Int(u64),
    /// A 32-bit float literal, `0f...`.
    F32(u32),
    /// A 64-bit float literal, `0d...`, or a decimal one.
    F64(u64),
    /// A quoted string.
    Text(String),
    /// Any other character.
    Punct(char),
}

#[derive(Clone, Debug)]
pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) line: u32,
}

pub(crate) fn lex(text: &str) -> Result<Vec<Lexed>, PtxError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < bytes.len() {
        let c = bytes[i];
        let start = i;
        let token = match c {
            b'\n' => {
                line += 1;
                i += 1;
                continue;
            }
            0 | b' ' | b'\t' | b'\r' => {
                i += 1;
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
                continue;
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i += 2;
                while i < bytes.len() && !bytes[i..].starts_with(b"*/") {
                    line += u32::from(bytes[i] == b'\n');
                    i += 1;
                }
                i = (i + 2).min(bytes.len());
                continue;
            }
            b'"' => {
                i += 1;
                while i < bytes.len() && bytes[i] != b'"' && bytes[i] != b'\n' {
                    i += 1;
                }
                let inner = &bytes[start + 1..i];
                i = (i + 1).min(bytes.len());
                Token::Text(String::from_utf8_lossy(inner).into_owned())
            }
            b'0'..=b'9' => {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'.') {
                    i += 1;
                }
                let word = String::from_utf8_lossy(&bytes[start..i]);
                number(&word).ok_or_else(|| PtxError::new(line, format!("{word:?} is not a number")))?
            }
            _ if is_word(c) => {
                while i < bytes.len() && (is_word(bytes[i]) || bytes[i..].starts_with(b"::")) {
                    i += if bytes[i] == b':' { 2 } else { 1 };
                    // `.reg.b32` is two words.
                    if c == b'.' && bytes.get(i) == Some(&b'.') {
                        break;
                    }
                }
                Token::Word(String::from_utf8_lossy(&bytes[start..i]).into_owned())
            }
            _ => {
                i += 1;
                Token::Punct(c as char)
            }
        };
        tokens.push(Lexed { token, line });
    }
    Ok(tokens)
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

fn number(word: &str) -> Option<Token> {
    let lower = word.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0f") {
        return u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 8).map(Token::F32);
    }
    if let Some(hex) = lower.strip_prefix("0d") {
        return u64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 16).map(Token::F64);
    }
    let digits = lower.trim_end_matches('u');
    if let Some(hex) = digits.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Token::Int);
    }
    if let Some(binary) = digits.strip_prefix("0b") {
        return u64::from_str_radix(binary, 2).ok().map(Token::Int);
    }
    if digits.contains('.') {
        return digits.parse::<f64>().ok().map(|x| Token::F64(x.to_bits()));
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return u64::from_str_radix(&digits[1..], 8).ok().map(Token::Int);
    }
    digits.parse().ok().map(Token::Int)
}
