//! A figure as PNG: the SVG, drawn by resvg with the bundled font and no other.
//!
//! The only place that draws. What the SVG asks for that the bundled font lacks is drawn as the font's empty box.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use crate::figure::error::FigureError;
use crate::figure::size::Size;
use crate::figure::text;

/// Longest side of a picture, in pixels.
pub const MAX_SIDE: f64 = 30_000.0;

/// Most pixels of a picture; at four bytes each, 480 MB.
pub const MAX_PIXELS: f64 = 120_000_000.0;

/// Draws an SVG that [`crate::figure::svg::write`] made, `size` being its page, at `dpi` dots per inch (where none is
/// given, at the one [`Size::default_dpi`] says). Returns the bytes of a PNG file, which states its resolution.
pub fn png(svg: &str, size: Size, dpi: Option<f64>) -> Result<Vec<u8>, FigureError> {
    let dpi = dpi.unwrap_or(size.default_dpi());
    let bytes = drawn(svg, size, dpi)?
        .encode_png()
        .map_err(|error| refused(error.to_string()))?;
    Ok(with_resolution(bytes, dpi))
}

/// A picture for those that need its dots and no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row, four bytes each: red, green, blue, opacity.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// The colour of a pixel as it looks on white paper; white outside of the picture.
    pub fn on_white(&self, column: u32, row: u32) -> [u8; 3] {
        const WHITE: u16 = 255;
        let place = (row as usize * self.width as usize + column as usize) * 4;
        match self.rgba.get(place..place.saturating_add(4)) {
            Some([red, green, blue, opacity]) if column < self.width => {
                let cover = u16::from(*opacity);
                let blend = |part: u8| {
                    let mixed = u16::from(part) * cover + WHITE * (WHITE - cover);
                    ((mixed + WHITE / 2) / WHITE) as u8
                };
                [blend(*red), blend(*green), blend(*blue)]
            }
            _ => [u8::MAX; 3],
        }
    }
}

/// Draws as [`png`] does, and gives the pixels.
pub fn pixels(svg: &str, size: Size, dpi: Option<f64>) -> Result<Pixels, FigureError> {
    let picture = drawn(svg, size, dpi.unwrap_or(size.default_dpi()))?;
    let straight = picture.pixels().iter().map(|pixel| pixel.demultiply());
    Ok(Pixels {
        width: picture.width(),
        height: picture.height(),
        rgba: straight
            .flat_map(|c| [c.red(), c.green(), c.blue(), c.alpha()])
            .collect(),
    })
}

fn refused(message: String) -> FigureError {
    FigureError::Render { message }
}

fn drawn(svg: &str, size: Size, dpi: f64) -> Result<Pixmap, FigureError> {
    size.check()?;
    let scale = dpi / 96.0;
    let (width, height) = (
        (size.width_px() * scale).round().max(1.0),
        (size.height_px() * scale).round().max(1.0),
    );
    let is_sane = dpi.is_finite()
        && dpi > 0.0
        && width <= MAX_SIDE
        && height <= MAX_SIDE
        && width * height <= MAX_PIXELS;
    if !is_sane {
        return Err(FigureError::PictureTooLarge { width, height, dpi });
    }
    let tree = usvg::Tree::from_str(svg, &options()).map_err(|error| refused(error.to_string()))?;
    let (width, height) = (width as u32, height as u32);
    let fine = fineness(width, height);
    let no_memory = || refused("no memory for the picture".to_owned());
    let mut large = Pixmap::new(width * fine, height * fine).ok_or_else(no_memory)?;
    let stretch = Transform::from_scale(
        (width * fine) as f32 / tree.size().width(),
        (height * fine) as f32 / tree.size().height(),
    );
    resvg::render(&tree, stretch, &mut large.as_mut());
    if fine == 1 {
        return Ok(large);
    }
    let mut picture = Pixmap::new(width, height).ok_or_else(no_memory)?;
    shrink(&large, &mut picture, fine);
    Ok(picture)
}

/// How many times finer than the picture it is drawn. Renderers blend each edge with what is below, so where two
/// rectangles meet inside a pixel the page shines through, and many thin ones in a pixel come out too pale. Drawn four times
/// finer, that is a sixteenth of it. It depends on the size alone, so the bytes do too.
fn fineness(width: u32, height: u32) -> u32 {
    const BUDGET: f64 = 30_000_000.0;
    let pixels = f64::from(width) * f64::from(height);
    [4, 2]
        .into_iter()
        .find(|fine| pixels * f64::from(fine * fine) <= BUDGET)
        .unwrap_or(1)
}

/// Each pixel of `small` becomes the mean of `fine` × `fine` pixels of `large`.
fn shrink(large: &Pixmap, small: &mut Pixmap, fine: u32) {
    let fine = fine as usize;
    let row_bytes = large.width() as usize * 4;
    let count = (fine * fine) as u32;
    let small_row = small.width() as usize * 4;
    let rows = large.data().chunks_exact(row_bytes * fine);
    let mut sums = vec![0_u32; small_row];
    for (out, rows) in small.data_mut().chunks_exact_mut(small_row).zip(rows) {
        sums.fill(0);
        for row in rows.chunks_exact(row_bytes) {
            for (sum, block) in sums.chunks_exact_mut(4).zip(row.chunks_exact(4 * fine)) {
                for pixel in block.chunks_exact(4) {
                    for (part, byte) in sum.iter_mut().zip(pixel) {
                        *part += u32::from(*byte);
                    }
                }
            }
        }
        for (byte, sum) in out.iter_mut().zip(&sums) {
            *byte = ((sum + count / 2) / count) as u8;
        }
    }
}

fn options() -> usvg::Options<'static> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(text::font_data().to_vec());
        fonts.set_sans_serif_family(text::FAMILY);
        Arc::new(fonts)
    });
    usvg::Options {
        font_family: text::FAMILY.to_owned(),
        fontdb: Arc::clone(fonts),
        ..usvg::Options::default()
    }
}

/// Puts the resolution (chunk `pHYs`, dots per metre) behind the header, so that programs that place the picture on paper
/// give it the size that was asked for.
fn with_resolution(png: Vec<u8>, dpi: f64) -> Vec<u8> {
    let dots = (dpi / 0.0254).round().clamp(1.0, f64::from(i32::MAX)) as u32;
    let mut data = dots.to_be_bytes().to_vec();
    data.extend(dots.to_be_bytes());
    data.push(1);
    with_chunk(png, b"pHYs", &data)
}

/// Puts a text in ASCII under a keyword into a PNG file (chunk `tEXt`), where [`text_of`] finds it.
pub fn with_text(png: Vec<u8>, keyword: &str, text: &str) -> Vec<u8> {
    let mut data = keyword.as_bytes().to_vec();
    data.push(0);
    data.extend(text.as_bytes());
    with_chunk(png, b"tEXt", &data)
}

/// The text under a keyword in a PNG file; None where the file has none or is broken before it.
pub fn text_of(png: &[u8], keyword: &str) -> Option<String> {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let (data, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let text = data
            .strip_prefix(keyword.as_bytes())
            .and_then(|data| data.strip_prefix(b"\0"));
        if let (b"tEXt", Some(text)) = (kind, text) {
            return String::from_utf8(text.to_vec()).ok();
        }
        rest = after.get(4..)?;
    }
}

/// Puts a chunk behind the header of a PNG file.
fn with_chunk(mut png: Vec<u8>, kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    // Signature (8) and header chunk (4 + 4 + 13 + 4): the fixed start of every PNG file.
    const HEADER: usize = 33;
    if png.len() < HEADER {
        return png;
    }
    let mut chunk = kind.to_vec();
    chunk.extend(data);
    let check = crc32(&chunk);
    let mut whole = (data.len() as u32).to_be_bytes().to_vec();
    whole.extend(chunk);
    whole.extend(check.to_be_bytes());
    png.splice(HEADER..HEADER, whole);
    png
}

/// The check sum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let mask = (sum & 1).wrapping_neg();
            sum = (sum >> 1) ^ (0xEDB8_8320 & mask);
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::scene::Scene;
    use crate::figure::svg;

    fn drawn(size: Size, dpi: Option<f64>) -> Result<(u32, u32), FigureError> {
        let scene = Scene {
            size,
            title: String::new(),
            description: String::new(),
            facts: Vec::new(),
            groups: Vec::new(),
        };
        let bytes = png(&svg::write(&scene), size, dpi)?;
        let picture = Pixmap::decode_png(&bytes).unwrap();
        Ok((picture.width(), picture.height()))
    }

    #[test]
    fn pictures_have_the_size_asked_for() {
        assert_eq!(drawn(Size::px(1700.0, 400.0), None), Ok((1700, 400)));
        assert_eq!(drawn(Size::px(100.0, 50.0), Some(192.0)), Ok((200, 100)));
        assert_eq!(drawn(Size::mm(25.4, 50.8), None), Ok((300, 600)));
        assert_eq!(drawn(Size::px(1.0, 1.0), None), Ok((1, 1)));
        assert_eq!(drawn(Size::mm(0.001, 1.0), None), Ok((1, 12)));
    }

    #[test]
    fn texts_travel_in_the_file() {
        let size = Size::px(3.0, 2.0);
        let scene = Scene {
            size,
            title: String::new(),
            description: String::new(),
            facts: Vec::new(),
            groups: Vec::new(),
        };
        let plain = png(&svg::write(&scene), size, None).unwrap();
        let told = with_text(plain.clone(), "marey", "{\"a\": 1}");
        assert_eq!(text_of(&told, "marey").as_deref(), Some("{\"a\": 1}"));
        assert_eq!(text_of(&told, "mare"), None);
        assert_eq!(text_of(&plain, "marey"), None);
        // It is a picture still, check sums and all.
        assert_eq!(Pixmap::decode_png(&told).unwrap().width(), 3);
        // Cut anywhere, it is only shorter.
        for end in 0..told.len() {
            let _ = text_of(&told[..end], "marey");
        }
    }

    #[test]
    fn rectangles_that_meet_leave_no_gap() {
        use crate::figure::palette::Colour;
        use crate::figure::scene::{Group, Mark, Rect};
        let size = Size::px(40.0, 10.0);
        // A hundred thin rectangles that tile the page.
        let rects = (0..100).map(|index| Rect::new(f64::from(index) * 0.4, 0.0, 0.4, 10.0));
        let mark = Mark::Rects {
            label: String::new(),
            fill: Colour::new(0, 114, 178),
            rects: rects.collect(),
        };
        let scene = Scene {
            size,
            title: String::new(),
            description: String::new(),
            facts: Vec::new(),
            groups: vec![Group {
                role: "marks",
                clip: None,
                marks: vec![mark],
            }],
        };
        let bytes = png(&svg::write(&scene), size, None).unwrap();
        let picture = Pixmap::decode_png(&bytes).unwrap();
        for pixel in picture.pixels() {
            assert!(pixel.red() < 30 && pixel.green() < 132, "{pixel:?}");
        }
    }

    #[test]
    fn pixels_are_those_of_the_file() {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'>\
                   <rect width='2' height='2' fill='#ff0000'/>\
                   <rect x='2' width='2' height='1' fill='#0000ff' fill-opacity='0.5'/></svg>";
        let size = Size::px(4.0, 2.0);
        let dots = pixels(svg, size, None).unwrap();
        assert_eq!((dots.width, dots.height), (4, 2));
        assert_eq!(&dots.rgba[..4], [255, 0, 0, 255]);
        assert_eq!(dots.on_white(0, 1), [255, 0, 0]);
        let [red, green, blue] = dots.on_white(3, 0);
        assert!(red.abs_diff(127) <= 1 && green == red && blue == 255);
        assert_eq!(dots.on_white(3, 1), [255; 3]);
        assert_eq!(dots.on_white(4, 0), [255; 3]);
        let file = Pixmap::decode_png(&png(svg, size, None).unwrap()).unwrap();
        assert_eq!(file.pixel(0, 1).map(|dot| dot.red()), Some(255));
    }

    #[test]
    fn absurd_pictures_are_refused() {
        for (size, dpi) in [
            (Size::mm(10_000.0, 10_000.0), None),
            (Size::px(100.0, 100.0), Some(1e9)),
            (Size::px(100.0, 100.0), Some(f64::NAN)),
            (Size::px(100.0, 100.0), Some(-1.0)),
            (Size::px(f64::NAN, 100.0), None),
        ] {
            assert!(drawn(size, dpi).is_err());
        }
    }

    #[test]
    fn the_check_sum_is_the_one_of_png() {
        assert_eq!(crc32(b"IEND"), 0xAE42_6082);
    }
}
