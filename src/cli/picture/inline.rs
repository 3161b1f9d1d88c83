//! PNG files inside escape sequences: the protocols of kitty and of iTerm2. Other terminals ignore them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Most characters of a file in one sequence of kitty.
const CHUNK: usize = 4096;

/// <https://sw.kovidgoyal.net/kitty/graphics-protocol/>: show at once (`a=T`) a PNG (`f=100`), so many columns wide, and answer
/// nothing (`q=2`), because an answer would be taken for something typed.
pub(super) fn kitty(png: &[u8], columns: usize) -> String {
    let text = BASE64_STANDARD.encode(png);
    let mut out = String::new();
    let mut first = format!("a=T,f=100,c={columns},");
    let mut rest = text.as_str();
    loop {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!after.is_empty());
        let keys = std::mem::take(&mut first);
        out.push_str(&format!("\x1b_G{keys}q=2,m={more};{chunk}\x1b\\"));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    out.push('\n');
    out
}

/// <https://iterm2.com/documentation-images.html>
pub(super) fn iterm(png: &[u8], columns: usize) -> String {
    format!(
        "\x1b]1337;File=inline=1;size={};width={columns};preserveAspectRatio=1:{}\x07\n",
        png.len(),
        BASE64_STANDARD.encode(png)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that need three chunks.
    fn bytes() -> Vec<u8> {
        (0..7000_u32).map(|number| (number % 251) as u8).collect()
    }

    #[test]
    fn kitty_gets_the_file_in_chunks() {
        let bytes = bytes();
        let sent = kitty(&bytes, 72);
        let body = sent.strip_suffix("\x1b\\\n").expect("it ends");
        let parts: Vec<&str> = body.split("\x1b\\").collect();
        let mut text = String::new();
        for (place, part) in parts.iter().enumerate() {
            let part = part.strip_prefix("\x1b_G").expect("each is a sequence");
            let (keys, data) = part.split_once(';').expect("keys and data");
            let expected = match place {
                0 => "a=T,f=100,c=72,q=2,m=1",
                1 => "q=2,m=1",
                _ => "q=2,m=0",
            };
            assert_eq!(keys, expected);
            assert!(data.len() <= 4096 && (place == 2 || data.len() % 4 == 0));
            text.push_str(data);
        }
        // 7000 bytes are 9336 characters.
        assert_eq!(parts.len(), 3);
        assert_eq!(BASE64_STANDARD.decode(text), Ok(bytes));
        assert_eq!(kitty(b"a", 1), "\x1b_Ga=T,f=100,c=1,q=2,m=0;YQ==\x1b\\\n");
    }

    #[test]
    fn iterm_gets_it_whole() {
        let bytes = bytes();
        let sent = iterm(&bytes, 72);
        let (keys, data) = sent.split_once(':').expect("keys and data");
        assert_eq!(
            keys,
            "\x1b]1337;File=inline=1;size=7000;width=72;preserveAspectRatio=1"
        );
        let data = data.strip_suffix("\x07\n").expect("it ends");
        assert_eq!(BASE64_STANDARD.decode(data), Ok(bytes));
    }
}
