//! One file per trace format and one line each in the table below.
