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
import {
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
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
  /** Only the library shows this as it should be: it comes at once. */
  readonly incomplete: boolean;
}

/** What happened while the library was on its way. */
interface Turn {
  pressed: boolean;
  typed: string | null;
  readonly keys: Array<Pick<KeyboardEvent, 'key' | 'code'>>;
}

function handOver(input: HTMLInputElement, { pressed, typed, keys }: Turn): void {
  input.focus({ preventScroll: true });
  if (pressed) input.click();
  if (typed !== null) {
    // Past React's own setter, so that it takes this for typing.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, typed);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
  for (const { key, code } of keys)
    input.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
}

interface StandInProps extends Shown {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly turn: RefObject<Turn | null>;
  fetchEarly(): void;
  want(): void;
}

function StandIn({ look, text, open, left, chevron, field, turn, fetchEarly, want }: StandInProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const pressing = useRef(false);
  const turned = (): Turn => {
    turn.current ??= { pressed: false, typed: null, keys: [] };
    want();
    return turn.current;
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
        turned().pressed = true;
      }}
      onChange={({ currentTarget }) => {
        turned().typed = currentTarget.value;
        setTyped(currentTarget.value);
      }}
      onKeyDown={(event) => {
        const { key, code } = event;
        if (key !== 'Enter' && key !== 'ArrowDown' && (open || key !== ' ')) return;
        event.preventDefault();
        turned().keys.push({ key, code });
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
  const turn = useRef<Turn | null>(null);
  const plain = of.shown(props);
  const { incomplete } = plain;
  const want = useCallback(
    () =>
      void of.load().then(
        () => {
          // Who went on meanwhile is not brought back.
          if (document.activeElement !== field.current) turn.current = null;
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
    const how = turn.current;
    turn.current = null;
    if (Real !== null && how !== null)
      queueMicrotask(() => {
        if (field.current) handOver(field.current, how);
      });
  }, [Real]);
  if (Real !== null) return <Real {...props} ref={field} />;
  const fetchEarly = () => void of.load().catch(() => undefined);
  return <StandIn {...plain} field={field} turn={turn} fetchEarly={fetchEarly} want={want} />;
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
  }) => ({ look, text: '', open: searchable, chevron: true, incomplete: value.length > 0 }),
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
    splitChars: _split,
    value = [],
    ...look
  }) => ({ look, text: '', open: true, chevron: false, incomplete: value.length > 0 }),
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
    incomplete: false,
  }),
);

export const ColorInput = (props: ColorInputField) => <Choices of={colorInput} props={props} />;
