//! The arithmetic of the algorithms: pure, in integers, one file each.
