/** A password of a form whose values are kept together, which can be shown. */
import { PasswordInput } from '@mantine/core';
import { fieldProps, type TextFieldProps } from './TextField.tsx';

export const PasswordField = <T extends Record<string, unknown>>(props: TextFieldProps<T>) => (
  <PasswordInput {...fieldProps(props)} />
);
