// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory images: the contents of variables and buffers, byte by byte known or unknown.

mod mask;
mod page;

pub use mask::{Mask, PAGE};
pub use page::Page;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

/// Writes the bytes from this offset on, as far as the slice, which is 0 before, has them.
type Rule = dyn Fn(usize, &mut [u8]) + Send + Sync;

/// The contents of a range of memory. A copy shares its pages with the original until one of both changes.
#[derive(Clone)]
pub struct Image {
    len: usize,
    source: Source,
    /// The pages that have been used; the other pages are as in the source.
    pages: Vec<OnceLock<Arc<Page>>>,
}

/// The contents of the pages that have not been used.
#[derive(Clone)]
enum Source {
    Unknown,
    /// The bytes of a file or an array from this index on.
    Bytes(Arc<Vec<u8>>, usize),
    /// Bytes that are computed when they are used.
    Generated(Arc<Rule>),
}

impl Image {
    fn new(len: usize, source: Source) -> Image {
        Image { len, source, pages: vec![OnceLock::new(); len.div_ceil(PAGE)] }
    }

    pub fn unknown(len: usize) -> Image {
        Image::new(len, Source::Unknown)
    }

    pub fn zeroed(len: usize) -> Image {
        Image::generated(len, |_, _| {})
    }

    /// An image whose bytes are computed page by page. `rule` writes the bytes from an offset on, which is a multiple of [`PAGE`], to a
    /// slice of zeros.
    pub fn generated(len: usize, rule: impl Fn(usize, &mut [u8]) + Send + Sync + 'static) -> Image {
        Image::new(len, Source::Generated(Arc::new(rule)))
    }

    /// The bytes of a file from byte `first` on.
    pub fn of_file(file: Vec<u8>, first: usize) -> Image {
        Image::new(file.len().saturating_sub(first), Source::Bytes(Arc::new(file), first))
    }

    /// The number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A page of the source. Bytes after the end are 0.
    fn source_page(&self, number: usize) -> Page {
        let first = number * PAGE;
        let used = self.len.saturating_sub(first).min(PAGE);
        let mut page = Page::zeroed();
        match &self.source {
            Source::Unknown => return Page::unknown(used),
            Source::Bytes(bytes, start) => page.data_mut()[..used].copy_from_slice(&bytes[start + first..][..used]),
            Source::Generated(rule) => rule(first, &mut page.data_mut()[..used]),
        }
        page
    }

    /// A page, which is kept for the next use.
    #[inline]
    pub fn page(&self, number: usize) -> &Page {
        self.pages[number].get_or_init(|| Arc::new(self.source_page(number)))
    }

    /// A page, to be changed.
    #[inline]
    pub fn page_mut(&mut self, number: usize) -> &mut Page {
        self.page(number);
        Arc::make_mut(self.pages[number].get_mut().expect("the page was used above"))
    }

    /// All pages in order, each with the number of its bytes that belong to the image. Pages that have not been used are not kept.
    pub fn pages(&self) -> impl Iterator<Item = (Arc<Page>, usize)> + '_ {
        self.pages.iter().enumerate().map(|(number, page)| {
            let page = page.get().map_or_else(|| Arc::new(self.source_page(number)), Arc::clone);
            (page, PAGE.min(self.len - number * PAGE))
        })
    }

    /// The value of a byte; `None` if it is unknown.
    pub fn get(&self, at: usize) -> Option<u8> {
        self.page(at / PAGE).get(at % PAGE)
    }

    /// Sets a byte; `None` is an unknown value.
    pub fn set(&mut self, at: usize, value: Option<u8>) {
        self.page_mut(at / PAGE).set(at % PAGE, value);
    }

    /// The value of each byte.
    pub fn values(&self) -> Vec<Option<u8>> {
        self.pages().flat_map(|(page, used)| (0..used).map(move |at| page.get(at))).collect()
    }

    /// All bytes; an unknown byte is 0.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len);
        self.pages().for_each(|(page, used)| bytes.extend_from_slice(&page.data()[..used]));
        bytes
    }

    /// Writes all bytes; an unknown byte is 0.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        self.pages().try_for_each(|(page, used)| to.write_all(&page.data()[..used]))
    }
}

impl From<Vec<u8>> for Image {
    fn from(bytes: Vec<u8>) -> Image {
        Image::of_file(bytes, 0)
    }
}

impl FromIterator<Option<u8>> for Image {
    fn from_iter<I: IntoIterator<Item = Option<u8>>>(values: I) -> Image {
        let values: Vec<Option<u8>> = values.into_iter().collect();
        let mut image = Image::from(values.iter().map(|value| value.unwrap_or(0)).collect::<Vec<u8>>());
        let unknown = values.iter().enumerate().filter(|(_, value)| value.is_none());
        unknown.for_each(|(at, _)| image.set(at, None));
        image
    }
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        self.len == other.len && self.pages().eq(other.pages())
    }
}

impl Eq for Image {}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

#[cfg(test)]
mod tests;
