/** Loaded when the first field of this kind is turned to, or has something in it. */
export { TagsInput as default } from '@mantine/core';
