/** Loaded when the first field of this kind is turned to. */
export { Select as default } from '@mantine/core';
