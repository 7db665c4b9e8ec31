/**
 * The library's fields with choices, which come when somebody turns to one: most forms are read, and many are sent, without
 * that. Until then a plain field stands in its place, and hands over what is typed and pressed meanwhile.
 */
import {
  type AutocompleteProps,
  type ColorInputProps,
  ComboboxChevron,
  Group,
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
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
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
  /** The text is of several values; what is typed comes after them. */
  readonly several?: boolean;
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

/** A plain field, from when it is shown until the library's has taken over. */
interface Stand {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Null until somebody turns to the field. */
  readonly acts: RefObject<Act[] | null>;
  readonly left: RefObject<boolean>;
  /** The form was sent meanwhile; by which button, if by one. */
  readonly sent: RefObject<{ readonly by: HTMLElement | null } | null>;
}

const newStand = (): Stand => ({
  field: { current: null },
  acts: { current: null },
  left: { current: false },
  sent: { current: null },
});

interface StandInProps extends Shown {
  readonly stand: Stand;
  fetchEarly(): void;
  want(): void;
}

function StandIn(props: StandInProps): ReactNode {
  const { look, text, open, several = false, left, chevron, taking, stand, fetchEarly, want } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const pressing = useRef(false);
  useEffect(() => {
    const form = stand.field.current?.form;
    if (!form) return;
    // A form is sent with what was typed here, which it does not know yet.
    const wait = (event: SubmitEvent) => {
      if (!stand.acts.current?.some(({ kind }) => kind === 'text')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      stand.sent.current = { by: event.submitter };
    };
    form.addEventListener('submit', wait, true);
    return () => form.removeEventListener('submit', wait, true);
  }, [stand]);
  const turned = (): Act[] => {
    stand.acts.current ??= [];
    want();
    return stand.acts.current;
  };
  return (
    <TextInput
      {...look}
      ref={stand.field}
      data-hands-over
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
        if (several) setTyped((before) => before ?? '');
        if (!pressing.current) turned();
      }}
      onBlur={() => {
        pressing.current = false;
        if (several) setTyped((before) => before || null);
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
        const takes = several && key === 'Backspace' ? typed === '' : taking.includes(key) && !!typed?.trim();
        if (!takes && key !== 'Enter' && key !== 'ArrowDown' && (open || key !== ' ')) return;
        event.preventDefault();
        turned().push({ kind: 'key', key, code });
        if (takes) setTyped('');
      }}
    />
  );
}

/**
 * Shows in the place of these fields what is loaded when somebody turns to one of them. `real` is the field that one of
 * them stood for.
 */
function useArrival<C>(
  begun: () => C | null,
  load: () => Promise<C>,
  stands: readonly Stand[],
  real: (stand: Stand) => HTMLInputElement | null | undefined,
): { readonly arrived: C | null; fetchEarly(): void; want(): void } {
  const [arrived, setArrived] = useState(begun);
  const [, settle] = useState(0);
  // Before anything else that somebody does: the field that they turned to is gone, and a key on its successor, which knows
  // nothing yet, would send the form.
  useLayoutEffect(() => {
    if (arrived === null) return;
    for (const stand of stands) {
      const done = stand.acts.current;
      stand.acts.current = null;
      if (done !== null)
        queueMicrotask(() => {
          // After the effects of the fields themselves, and after all that they change.
          flushSync(() => settle((count) => count + 1));
          const field = real(stand);
          if (field) handOver(field, done, stand.left.current);
          if (stand.sent.current !== null) field?.form?.requestSubmit(stand.sent.current.by);
          stand.sent.current = null;
        });
    }
  });
  return {
    arrived,
    fetchEarly: () => void load().catch(() => undefined),
    want: () =>
      void load().then(
        (loaded) => {
          for (const { field, acts, left } of stands) {
            // One that has been replaced already.
            if (!field.current?.isConnected) continue;
            left.current = document.activeElement !== field.current;
            // Who went on without having typed wants nothing more of it.
            if (left.current && !acts.current?.some(({ kind }) => kind === 'text')) acts.current = null;
          }
          setArrived(() => loaded);
        },
        // The page's boundary says that it could not be loaded.
        (error: unknown) =>
          setArrived(() => {
            throw error;
          }),
      ),
  };
}

type Loaded<P> = ComponentType<P & { ref: RefObject<HTMLInputElement | null> }>;

interface Library<P> {
  /** Once it is there, every further field is the real one from its beginning. */
  loaded(): Loaded<P> | null;
  load(): Promise<Loaded<P>>;
  /** How the field looks without it. */
  shown(props: P): Shown;
}

function library<P>(load: () => Promise<{ default: ComponentType<P> }>, shown: (props: P) => Shown): Library<P> {
  let loaded: Loaded<P> | null = null;
  return {
    loaded: () => loaded,
    async load() {
      loaded = (await load()).default as Loaded<P>;
      return loaded;
    },
    shown,
  };
}

function Choices<P extends object>({ of, props }: { of: Library<P>; props: P }): ReactNode {
  const [stand] = useState(newStand);
  const real = useRef<HTMLInputElement>(null);
  const { arrived: Real, fetchEarly, want } = useArrival(of.loaded, of.load, [stand], () => real.current);
  const plain = of.shown(props);
  const atFirst = useRef(want);
  useEffect(() => {
    if (plain.incomplete) atFirst.current();
  }, [plain.incomplete]);
  if (Real !== null) return <Real {...props} ref={real} />;
  return <StandIn {...plain} stand={stand} fetchEarly={fetchEarly} want={want} />;
}

/** A field among others that come together. */
export interface ChoiceField {
  readonly label: string;
  readonly width: number;
  /** What it says while nothing is chosen. */
  readonly placeholder?: string;
  readonly value?: string;
  /** Text can be typed. */
  readonly open?: boolean;
}

interface ChoicesTogetherProps<P> {
  load(): Promise<ComponentType<P>>;
  readonly props: P;
  /** How the filters look until they are loaded. */
  readonly fields: readonly ChoiceField[];
  /** Something is chosen, which only the filters themselves can show. */
  readonly chosen: boolean;
}

const nothing = () => null;

/** Filters of a list that choose one of many, which are loaded with what they ask the server when somebody turns to one. */
export function ChoicesTogether<P extends object>({ load, props, fields, chosen }: ChoicesTogetherProps<P>): ReactNode {
  const [stands] = useState(() => fields.map(newStand));
  const box = useRef<HTMLDivElement>(null);
  const real = (stand: Stand) => {
    const label = fields[stands.indexOf(stand)]?.label;
    return [...(box.current?.querySelectorAll('input') ?? [])].find((each) => each.ariaLabel === label);
  };
  const { arrived: Real, fetchEarly, want } = useArrival<ComponentType<P>>(nothing, load, stands, real);
  const atFirst = useRef(want);
  useEffect(() => {
    if (chosen) atFirst.current();
  }, [chosen]);
  return (
    <div ref={box}>
      {Real ? (
        <Real {...props} />
      ) : (
        <Group gap="xs" mb="sm" className={classes.choices}>
          {fields.map(({ label, width, placeholder, value = '', open = false }, index) => (
            <StandIn
              key={label}
              look={{ 'aria-label': label, size: 'xs', w: width, placeholder }}
              text={value}
              open={open}
              chevron
              taking={[]}
              incomplete={false}
              stand={stands[index] as Stand}
              fetchEarly={fetchEarly}
              want={want}
            />
          ))}
        </Group>
      )}
    </div>
  );
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
    | 'onDropdownOpen'
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
    onDropdownOpen: _open,
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

/** Longer than this, values stand in several lines, as only the library shows them. */
const oneLine = 40;

const multiSelect = library<MultiSelectField>(
  () => import('./library/MultiSelect.ts'),
  ({
    clearable: _clearable,
    comboboxProps: _combobox,
    data,
    hidePickedOptions: _hide,
    nothingFoundMessage: _nothing,
    onChange: _change,
    onSearchChange: _search,
    searchable = false,
    searchValue: _typed,
    value = [],
    ...look
  }) => {
    const options = getOptionsLockup(getParsedComboboxData(data));
    const text = value.map((each) => options[String(each)]?.label ?? String(each)).join(', ');
    const several = text !== '';
    // What an empty field says is not for one whose values are put aside while somebody types.
    const shown = several ? { ...look, placeholder: undefined } : look;
    const incomplete = text.length > oneLine;
    return { look: shown, text, open: searchable, several, chevron: true, taking: ['Enter'], incomplete };
  },
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
  }) => {
    const text = value.join(', ');
    const several = text !== '';
    const taking = ['Enter', ...splitChars];
    return { look, text, open: true, several, chevron: false, taking, incomplete: text.length > oneLine };
  },
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
