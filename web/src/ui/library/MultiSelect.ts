/** Loaded when the first field of this kind is turned to, or has something in it. */
export { MultiSelect as default } from '@mantine/core';
