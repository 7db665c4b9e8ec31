/** Colours of labels: `#RRGGBB`, `#RGB`, or the name that style sheets have for one. */

/** The basic names and those that people use for labels. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  `aqua 00ffff black 000000 blue 0000ff brown a52a2a coral ff7f50 crimson dc143c cyan 00ffff darkblue 00008b
   darkcyan 008b8b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkmagenta 8b008b darkorange ff8c00
   darkred 8b0000 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dodgerblue 1e90ff
   firebrick b22222 forestgreen 228b22 fuchsia ff00ff gold ffd700 goldenrod daa520 gray 808080 green 008000
   grey 808080 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
   lightblue add8e6 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightyellow ffffe0
   lime 00ff00 limegreen 32cd32 magenta ff00ff maroon 800000 mediumblue 0000cd midnightblue 191970 navy 000080
   olive 808000 orange ffa500 orangered ff4500 orchid da70d6 pink ffc0cb plum dda0dd purple 800080 red ff0000
   royalblue 4169e1 salmon fa8072 seagreen 2e8b57 sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd
   slategray 708090 steelblue 4682b4 tan d2b48c teal 008080 tomato ff6347 turquoise 40e0d0 violet ee82ee
   wheat f5deb3 white ffffff yellow ffff00 yellowgreen 9acd32`
    .split(/\s+/)
    .reduce<[string, string][]>((pairs, word, at, all) => {
      if (at % 2 === 0) pairs.push([word, `#${all[at + 1]}`]);
      return pairs;
    }, []),
);

/** The colour as six digits; null where the text is none. */
export function colorOf(text: string): string | null {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text;
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`;
  return named[text.toLowerCase()] ?? null;
}

/** Text that can be read on the colour: dark on what is light. */
export function textColorOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return (red ?? 0) + (green ?? 0) + (blue ?? 0) > 500 ? '#1F1E24' : '#FFFFFF';
}
