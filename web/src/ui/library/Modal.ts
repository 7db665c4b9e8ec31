/** Loaded when the first dialog opens. */
export { Modal as default } from '@mantine/core';
