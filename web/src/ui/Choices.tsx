/**
 * The library's fields with choices, which come when somebody turns to one: most forms are read, and many are sent, without
 * that. Until then a plain field stands in its place, and hands over what is typed and pressed meanwhile.
 */
import {
  type AutocompleteProps,
  type ColorInputProps,
  Group,
  getOptionsLockup,
  getParsedComboboxData,
  type MultiSelectProps,
  type SelectProps,
  type TagsInputProps,
} from '@mantine/core';
import { type ComponentType, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { type Look, newStand, type Shown, type Stand, StandIn, useArrival } from './StandIn.tsx';
import classes from './ui.module.css';

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
