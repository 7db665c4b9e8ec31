/** The emoji that a status may show, by the names that the API keeps. */
const pictures: Readonly<Record<string, string>> = {
  speech_balloon: '💬',
  thought_balloon: '💭',
  computer: '💻',
  keyboard: '⌨️',
  hammer_and_wrench: '🛠️',
  wrench: '🔧',
  bug: '🐛',
  rocket: '🚀',
  construction: '🚧',
  mag: '🔍',
  books: '📚',
  memo: '📝',
  calendar: '📆',
  coffee: '☕',
  pizza: '🍕',
  house: '🏠',
  office: '🏢',
  bus: '🚌',
  airplane: '✈️',
  palm_tree: '🌴',
  thermometer: '🌡️',
  zzz: '💤',
  headphones: '🎧',
  dart: '🎯',
  tada: '🎉',
  heart: '❤️',
  wave: '👋',
  no_entry: '⛔',
  hourglass: '⌛',
  red_circle: '🔴',
};

export const emojiNames: readonly string[] = Object.keys(pictures);

/** The picture; the name between colons for one that is not known here. */
export const emoji = (name: string): string => pictures[name] ?? `:${name}:`;
