/**
 * The library's fields with choices, which come when somebody turns to one: most forms are read, and many are sent, without
 * that. Until then a plain field stands in its place, and hands over what is typed and pressed meanwhile.
 */
import {
  type AutocompleteProps,
  type ColorInputProps,
  ComboboxChevron,
  getOptionsLockup,
  getParsedComboboxData,
  type MultiSelectProps,
  type SelectProps,
  type TagsInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { type ComponentType, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import classes from './ui.module.css';

/** What the plain field has as well. */
type Look = Pick<
  TextInputProps,
  | 'aria-label'
  | 'className'
  | 'description'
  | 'disabled'
  | 'error'
  | 'flex'
  | 'label'
  | 'maw'
  | 'placeholder'
  | 'required'
  | 'size'
  | 'w'
>;

interface Shown {
  readonly look: Look;
  /** What is chosen, in words. */
  readonly text: string;
  /** Text can be typed. */
  readonly open: boolean;
  /** Beside the text. */
  readonly left?: ReactNode;
  readonly chevron: boolean;
  /** Keys that take what was typed as a choice, so that the text begins anew. */
  readonly taking: readonly string[];
  /** Only the library shows this as it should be: it comes at once. */
  readonly incomplete: boolean;
}

/** What somebody did while the library was on its way. */
type Act =
  | { readonly kind: 'press' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'key'; readonly key: string; readonly code: string };

function repeat(input: HTMLInputElement, act: Act): void {
  if (act.kind === 'press') input.click();
  else if (act.kind === 'key')
    input.dispatchEvent(
      new KeyboardEvent('keydown', { key: act.key, code: act.code, bubbles: true, cancelable: true }),
    );
  else {
    // Past React's own setter, so that it takes this for typing.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, act.text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

/**
 * In order, and each done before the next: a key acts on what the text before it has led to. Nothing comes between.
 * Whoever has `left` the field keeps what was typed, and stays where they are.
 */
function handOver(input: HTMLInputElement, acts: readonly Act[], left: boolean): void {
  const elsewhere = document.activeElement;
  input.focus({ preventScroll: true });
  for (const act of acts) flushSync(() => repeat(input, act));
  if (!left) return;
  if (elsewhere instanceof HTMLElement && elsewhere !== document.body) elsewhere.focus({ preventScroll: true });
  else input.blur();
}

interface StandInProps extends Shown {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Null until somebody turns to the field. */
  readonly acts: RefObject<Act[] | null>;
  fetchEarly(): void;
  want(): void;
}

function StandIn({ look, text, open, left, chevron, taking, field, acts, fetchEarly, want }: StandInProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const pressing = useRef(false);
  const turned = (): Act[] => {
    acts.current ??= [];
    want();
    return acts.current;
  };
  return (
    <TextInput
      {...look}
      ref={field}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      pointer={!open}
      readOnly={!open}
      value={typed ?? text}
      leftSection={left}
      rightSection={chevron ? <ComboboxChevron size={look.size} error={look.error} /> : undefined}
      rightSectionPointerEvents="none"
      onPointerEnter={fetchEarly}
      // A press is answered when it is over: the field that it began on must not be gone by then.
      onPointerDown={() => {
        pressing.current = true;
        fetchEarly();
      }}
      onFocus={() => {
        if (!pressing.current) turned();
      }}
      onBlur={() => {
        pressing.current = false;
      }}
      onClick={() => {
        pressing.current = false;
        turned().push({ kind: 'press' });
      }}
      onChange={({ currentTarget }) => {
        const done = turned();
        if (done.at(-1)?.kind === 'text') done.pop();
        done.push({ kind: 'text', text: currentTarget.value });
        setTyped(currentTarget.value);
      }}
      onKeyDown={(event) => {
        const { key, code, nativeEvent } = event;
        if (nativeEvent.isComposing) return;
        const takes = taking.includes(key) && typed !== null && typed.trim() !== '';
        if (!takes && key !== 'Enter' && key !== 'ArrowDown' && (open || key !== ' ')) return;
        event.preventDefault();
        turned().push({ kind: 'key', key, code });
        if (takes) setTyped('');
      }}
    />
  );
}

type Loaded<P> = ComponentType<P & { ref: RefObject<HTMLInputElement | null> }>;

interface Library<P> {
  /** Once it is there, every further field is the real one from its beginning. */
  loaded(): Loaded<P> | null;
  load(): Promise<void>;
  /** How the field looks without it. */
  shown(props: P): Shown;
}

function library<P>(load: () => Promise<{ default: ComponentType<P> }>, shown: (props: P) => Shown): Library<P> {
  let loaded: Loaded<P> | null = null;
  return {
    loaded: () => loaded,
    async load() {
      loaded = (await load()).default as Loaded<P>;
    },
    shown,
  };
}

function Choices<P extends object>({ of, props }: { of: Library<P>; props: P }): ReactNode {
  const [Real, setReal] = useState(of.loaded);
  const field = useRef<HTMLInputElement>(null);
  const acts = useRef<Act[] | null>(null);
  const left = useRef(false);
  const plain = of.shown(props);
  const { incomplete } = plain;
  const want = useCallback(
    () =>
      void of.load().then(
        () => {
          left.current = document.activeElement !== field.current;
          // Who went on without having typed wants nothing more of it.
          if (left.current && !acts.current?.some(({ kind }) => kind === 'text')) acts.current = null;
          setReal(of.loaded);
        },
        // The page's boundary says that it could not be loaded.
        (error: unknown) =>
          setReal(() => {
            throw error;
          }),
      ),
    [of],
  );
  useEffect(() => {
    if (incomplete) want();
  }, [incomplete, want]);
  // After the effects of the field itself, and after all that they change.
  useEffect(() => {
    const done = acts.current;
    acts.current = null;
    if (Real !== null && done !== null)
      queueMicrotask(() => {
        if (field.current) handOver(field.current, done, left.current);
      });
  }, [Real]);
  if (Real !== null) return <Real {...props} ref={field} />;
  const fetchEarly = () => void of.load().catch(() => undefined);
  return <StandIn {...plain} field={field} acts={acts} fetchEarly={fetchEarly} want={want} />;
}

type Kept<P> = Pick<P, Extract<keyof Look, keyof P>>;

type SelectField = Kept<SelectProps> &
  Pick<
    SelectProps,
    | 'allowDeselect'
    | 'clearable'
    | 'data'
    | 'filter'
    | 'nothingFoundMessage'
    | 'onChange'
    | 'onSearchChange'
    | 'searchable'
    | 'searchValue'
    | 'value'
  >;

const select = library<SelectField>(
  () => import('./library/Select.ts'),
  ({
    allowDeselect: _deselect,
    clearable = false,
    data,
    filter: _filter,
    nothingFoundMessage: _nothing,
    onChange: _change,
    onSearchChange: _search,
    searchable = false,
    searchValue: _typed,
    value,
    ...look
  }) => {
    const chosen = value === null || value === undefined ? '' : String(value);
    return {
      look,
      text: getOptionsLockup(getParsedComboboxData(data))[chosen]?.label ?? '',
      open: searchable,
      chevron: true,
      taking: [],
      // It can be emptied by a button.
      incomplete: clearable && chosen !== '',
    };
  },
);

export const Select = (props: SelectField) => <Choices of={select} props={props} />;

type MultiSelectField = Kept<MultiSelectProps> &
  Pick<
    MultiSelectProps,
    | 'clearable'
    | 'comboboxProps'
    | 'data'
    | 'hidePickedOptions'
    | 'nothingFoundMessage'
    | 'onChange'
    | 'onSearchChange'
    | 'searchable'
    | 'searchValue'
    | 'value'
  >;

const multiSelect = library<MultiSelectField>(
  () => import('./library/MultiSelect.ts'),
  ({
    clearable: _clearable,
    comboboxProps: _combobox,
    data: _data,
    hidePickedOptions: _hide,
    nothingFoundMessage: _nothing,
    onChange: _change,
    onSearchChange: _search,
    searchable = false,
    searchValue: _typed,
    value = [],
    ...look
  }) => ({ look, text: '', open: searchable, chevron: true, taking: ['Enter'], incomplete: value.length > 0 }),
);

export const MultiSelect = (props: MultiSelectField) => <Choices of={multiSelect} props={props} />;

type TagsInputField = Kept<TagsInputProps> &
  Pick<
    TagsInputProps,
    | 'data'
    | 'filter'
    | 'maxTags'
    | 'onChange'
    | 'onSearchChange'
    | 'renderOption'
    | 'searchValue'
    | 'splitChars'
    | 'value'
  >;

const tagsInput = library<TagsInputField>(
  () => import('./library/TagsInput.ts'),
  ({
    data: _data,
    filter: _filter,
    maxTags: _most,
    onChange: _change,
    onSearchChange: _search,
    renderOption: _render,
    searchValue: _typed,
    splitChars = [','],
    value = [],
    ...look
  }) => ({
    look,
    text: '',
    open: true,
    chevron: false,
    taking: ['Enter', ...splitChars],
    incomplete: value.length > 0,
  }),
);

export const TagsInput = (props: TagsInputField) => <Choices of={tagsInput} props={props} />;

type AutocompleteField = Kept<AutocompleteProps> & Pick<AutocompleteProps, 'data' | 'limit' | 'onChange' | 'value'>;

const autocomplete = library<AutocompleteField>(
  () => import('./library/Autocomplete.ts'),
  ({ data: _data, limit: _limit, onChange: _change, value = '', ...look }) => ({
    look,
    text: value,
    open: true,
    chevron: false,
    taking: [],
    incomplete: false,
  }),
);

export const Autocomplete = (props: AutocompleteField) => <Choices of={autocomplete} props={props} />;

type ColorInputField = Kept<ColorInputProps> &
  Pick<ColorInputProps, 'format' | 'onChange' | 'value' | 'withEyeDropper'>;

const colorInput = library<ColorInputField>(
  () => import('./library/ColorInput.ts'),
  ({ format: _format, onChange: _change, value = '', withEyeDropper: _dropper, ...look }) => ({
    look,
    text: value,
    open: true,
    left: <span className={classes.swatch} style={{ background: value }} />,
    chevron: false,
    taking: [],
    incomplete: false,
  }),
);

export const ColorInput = (props: ColorInputField) => <Choices of={colorInput} props={props} />;
