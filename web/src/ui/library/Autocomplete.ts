/** Loaded when the first field of this kind is turned to. */
export { Autocomplete as default } from '@mantine/core';
