/** Fields of a form whose values are kept together, with the API's reasons below each. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

export interface Fields<T extends Record<string, unknown>> {
  readonly values: T;
  set<K extends keyof T>(name: K, value: T[K]): void;
  replace(values: T): void;
}

/** The values of a form, by the names of the API. */
export function useFields<T extends Record<string, unknown>>(initial: T): Fields<T> {
  const [values, setValues] = useState(initial);
  return {
    values,
    set: (name, value) => setValues((before) => ({ ...before, [name]: value })),
    replace: setValues,
  };
}

type Names<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

type Passed =
  | 'label'
  | 'description'
  | 'type'
  | 'required'
  | 'placeholder'
  | 'autoComplete'
  | 'autoCapitalize'
  | 'autoFocus'
  | 'inputMode'
  | 'maxLength'
  | 'maw'
  | 'w';

export interface TextFieldProps<T extends Record<string, unknown>> extends Pick<TextInputProps, Passed> {
  readonly of: Fields<T>;
  readonly name: Names<T>;
  /** The form's reasons by field. */
  reason(field: string): string | undefined;
  /** Other names under which the API speaks of this field. */
  readonly also?: readonly string[];
}

/** What a field of one line is given. */
export const fieldProps = <T extends Record<string, unknown>>({
  of,
  name,
  reason,
  also = [],
  ...rest
}: TextFieldProps<T>) => ({
  ...rest,
  name,
  value: String(of.values[name]),
  onChange: (event: { currentTarget: HTMLInputElement }) => of.set(name, event.currentTarget.value as T[typeof name]),
  error: [name, ...also].map(reason).find((text) => text !== undefined),
});

/** One line of text. */
export const TextField = <T extends Record<string, unknown>>(props: TextFieldProps<T>) => (
  <TextInput {...fieldProps(props)} />
);
