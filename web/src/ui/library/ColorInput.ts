/** Loaded when the first field of this kind is turned to. */
export { ColorInput as default } from '@mantine/core';
