// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shapes and colours of the picture, as SVG text.

use std::fmt::Write;

/// The width of a character of the monospaced font, in parts of the font size; it is used to estimate the width of a text.
pub const CHARACTER: f64 = 0.602;

pub const INK: &str = "#20242a";
pub const FAINT: &str = "#6b7280";
pub const GRID: &str = "#e3e6ea";
pub const RUNNING: &str = "#4b5563";
pub const BUSY: &str = "#a8b0bb";
pub const MEMORY: &str = "url(#memory)";
pub const GATHERING: &str = "#a16207";
/// The colour of a wait for the phase of an mbarrier.
pub const MBARRIER: &str = "#6d5bd0";
/// The colour of a wait at the barrier of a cluster.
pub const CLUSTER: &str = "#be185d";
pub const DEPENDENT: &str = "#0f766e";
/// The colour of a wait for asynchronous copies.
pub const COPIES: &str = "#0284c7";
/// The colour of a loop that polls memory.
pub const POLLING: &str = "#4d7c0f";
/// The colours of the phases of an mbarrier, by parity.
pub const PHASES: [&str; 2] = ["#d9d4f4", "#b3a8e8"];
/// The colour of a copy in flight.
pub const COPY: &str = "#8ccdf0";
pub const EXITED: &str = "#d4d8de";
pub const STOPPED: &str = "#7f1d1d";
pub const ALARM: &str = "#c81e1e";

/// Colours by barrier id. Black text is readable on each colour, and ids next to each other have clearly different colours.
const BARRIERS: [&str; 16] = [
    "#f6a84b", "#73b7ea", "#ee92b4", "#8fd180", "#c2a3ee", "#f3d649", "#6fd3c6", "#f08470", "#b9cf56", "#9db1f2", "#dcaa76",
    "#dd8edd", "#56c596", "#f7bfa0", "#d6e58f", "#f9b3ca",
];

/// The colour of barrier `id`.
pub fn barrier(id: u8) -> &'static str {
    BARRIERS[usize::from(id) % BARRIERS.len()]
}

/// A text with the special characters of XML escaped.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            // XML forbids control characters other than white space, even if they are escaped.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The text cut to at most `most` characters; a cut text ends with `…`.
pub fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_string(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The position of a text relative to its coordinates.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The appearance of a text.
#[derive(Clone, Copy)]
pub struct Font {
    pub size: f64,
    pub colour: &'static str,
    pub bold: bool,
    pub anchor: Anchor,
}

impl Font {
    pub const fn new(size: f64, colour: &'static str) -> Font {
        Font { size, colour, bold: false, anchor: Anchor::Start }
    }

    pub const fn anchored(self, anchor: Anchor) -> Font {
        Font { anchor, ..self }
    }

    pub const fn bold(self) -> Font {
        Font { bold: true, ..self }
    }
}

/// The picture as drawn so far.
pub struct Paint {
    text: String,
}

/// A length as text, with at most two decimal places, which is finer than any screen.
fn n(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Paint {
    pub fn new(width: f64, height: f64) -> Paint {
        let (w, h) = (n(width), n(height));
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\">"
        );
        text += "<defs><pattern id=\"memory\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#eceff3\"/><rect width=\"3\" height=\"6\" \
                 fill=\"#9aa3af\"/></pattern></defs>\n";
        let _ = writeln!(text, "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>");
        Paint { text }
    }

    /// Draws `inside` as one group with a tooltip.
    pub fn group(&mut self, tooltip: &str, inside: impl FnOnce(&mut Paint)) {
        let _ = writeln!(self.text, "<g><title>{}</title>", escaped(tooltip));
        inside(self);
        self.text += "</g>\n";
    }

    /// Draws a rectangle; `more` has further SVG attributes.
    pub fn rect(&mut self, (x, y, w, h): (f64, f64, f64, f64), fill: &str, more: &str) {
        let gap = if more.is_empty() { "" } else { " " };
        let (x, y, w, h) = (n(x), n(y), n(w), n(h));
        let _ = writeln!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\"{gap}{more}/>");
    }

    /// Draws a rectangle with a tooltip; `more` has further SVG attributes.
    pub fn titled_rect(&mut self, tooltip: &str, (x, y, w, h): (f64, f64, f64, f64), fill: &str, more: &str) {
        let gap = if more.is_empty() { "" } else { " " };
        let (x, y, w, h, tooltip) = (n(x), n(y), n(w), n(h), escaped(tooltip));
        let _ = writeln!(
            self.text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\"{gap}{more}><title>{tooltip}</title></rect>"
        );
    }

    /// Draws a line through points; `more` has further SVG attributes.
    pub fn path(&mut self, points: &[(f64, f64)], stroke: &str, width: f64, more: &str) {
        let gap = if more.is_empty() { "" } else { " " };
        let steps: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", n(*x), n(*y))).collect();
        let (d, width) = (steps.join("L"), n(width));
        let _ = writeln!(self.text, "<path d=\"M{d}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"{gap}{more}/>");
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, stroke: &str) {
        let (x, y, r) = (n(x), n(y), n(radius));
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        );
    }

    /// Draws a disc with a number.
    pub fn badge(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, number: usize) {
        self.circle((x, y), radius, fill, "#ffffff");
        let font = Font::new(radius * 1.5, "#ffffff").bold().anchored(Anchor::Middle);
        self.words((x, y + radius * 0.55), font, &number.to_string());
    }

    /// Draws the head of an arrow that points to the left.
    pub fn arrow(&mut self, (x, y): (f64, f64), length: f64, fill: &str) {
        let (tip, back, top, low, y) = (n(x), n(x + length), n(y - length * 0.5), n(y + length * 0.5), n(y));
        let _ = writeln!(self.text, "<path d=\"M{tip} {y}L{back} {top}L{back} {low}Z\" fill=\"{fill}\"/>");
    }

    /// Draws a cross of two strokes.
    pub fn cross(&mut self, (x, y): (f64, f64), arm: f64) {
        let (left, right, top, low) = (n(x - arm), n(x + arm), n(y - arm), n(y + arm));
        let d = format!("M{left} {top}L{right} {low}M{left} {low}L{right} {top}");
        for (stroke, width) in [("#ffffff", 5.0), (ALARM, 2.5)] {
            let _ = writeln!(self.text, "<path d=\"{d}\" stroke=\"{stroke}\" stroke-width=\"{}\"/>", n(width));
        }
    }

    /// Draws a text; the coordinates are on its base line.
    pub fn words(&mut self, at: (f64, f64), font: Font, text: &str) {
        self.text_of(at, font, &escaped(text));
    }

    /// Draws a bold text after a label.
    pub fn labelled(&mut self, at: (f64, f64), label_font: Font, label: &str, text: &str) {
        let (label, text) = (escaped(label), escaped(text));
        self.text_of(at, label_font, &format!("{label} <tspan fill=\"{INK}\" font-weight=\"bold\">{text}</tspan>"));
    }

    /// Draws the inside of a text element.
    fn text_of(&mut self, (x, y): (f64, f64), font: Font, inside: &str) {
        let anchor = match font.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        let (x, y, size, colour) = (n(x), n(y), n(font.size), font.colour);
        // The text gets no pointer events, so that the tooltip of the bar below it is shown.
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\"{anchor}{weight} pointer-events=\"none\">{inside}</text>"
        );
    }

    /// Ends the picture, and returns its SVG text.
    pub fn finish(mut self) -> String {
        self.text += "</svg>\n";
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short_and_texts_are_xml() {
        assert_eq!([0.0, 1.5, 12.3456, 100.0].map(n), ["0", "1.5", "12.35", "100"]);
        assert_eq!(escaped("@!p <a & \"b\">\u{1}"), "@!p &lt;a &amp; &quot;b&quot;&gt;\u{fffd}");
        assert_eq!((shortened("äbc", 3), shortened("äbcd", 3)), ("äbc".to_string(), "äb…".to_string()));
    }
}
