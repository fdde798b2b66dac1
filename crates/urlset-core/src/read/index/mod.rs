//! Where markup, line feeds and the bounds of characters are in the window.

pub mod structural_index;
pub mod window;
