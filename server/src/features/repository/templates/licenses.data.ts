/** Licences that projects are offered and recognised by: what each allows and asks for. The texts are those of the SPDX list. */

const uses = ['commercial-use', 'modifications', 'distribution', 'private-use'] as const;
const patented = [...uses, 'patent-use'] as const;
const unliable = ['liability', 'warranty'] as const;
const branded = ['trademark-use', ...unliable] as const;
const unpatented = ['trademark-use', 'patent-use', ...unliable] as const;
const copyleft = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'] as const;

export interface License {
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly popular: boolean;
  readonly source: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly conditions: readonly string[];
  readonly limitations: readonly string[];
  text(): Promise<{ readonly default: { readonly licenseText: string } }>;
}

type Rest = Omit<License, 'key' | 'name' | 'nickname' | 'popular'> & { nickname?: string; popular?: true };
const license = (key: string, name: string, { nickname, popular, ...rest }: Rest): License => ({
  key,
  name,
  nickname: nickname ?? null,
  popular: popular ?? false,
  ...rest,
});
const gnu = 'https://www.gnu.org/licenses';

/** By name. Texts are read when one is asked for. */
export const licenses: readonly License[] = [
  license('artistic-2.0', 'Artistic License 2.0', {
    source: 'https://opensource.org/license/artistic-2-0',
    description: 'Changed versions must be told apart from the original. Made for Perl and its modules.',
    permissions: patented,
    conditions: ['include-copyright', 'document-changes'],
    limitations: branded,
    text: () => import('spdx-license-list/licenses/Artistic-2.0.json', { with: { type: 'json' } }),
  }),
  license('apache-2.0', 'Apache License 2.0', {
    popular: true,
    source: 'https://www.apache.org/licenses/LICENSE-2.0',
    description: 'Permissive: keep the notices and say what was changed. Contributors grant the use of their patents.',
    permissions: patented,
    conditions: ['include-copyright', 'document-changes'],
    limitations: branded,
    text: () => import('spdx-license-list/licenses/Apache-2.0.json', { with: { type: 'json' } }),
  }),
  license('0bsd', 'BSD Zero Clause License', {
    source: 'https://opensource.org/license/0bsd',
    description: 'Permissive without any condition: not even the notice has to be kept.',
    permissions: uses,
    conditions: [],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/0BSD.json', { with: { type: 'json' } }),
  }),
  license('bsd-2-clause', 'BSD 2-Clause "Simplified" License', {
    source: 'https://opensource.org/license/bsd-2-clause',
    description: 'Permissive in two sentences: keep the notice with source and with binaries.',
    permissions: uses,
    conditions: ['include-copyright'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/BSD-2-Clause.json', { with: { type: 'json' } }),
  }),
  license('bsd-3-clause', 'BSD 3-Clause "New" or "Revised" License', {
    source: 'https://opensource.org/license/bsd-3-clause',
    description: 'As the one with two sentences; names of contributors do not recommend what is made of it.',
    permissions: uses,
    conditions: ['include-copyright'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/BSD-3-Clause.json', { with: { type: 'json' } }),
  }),
  license('bsl-1.0', 'Boost Software License 1.0', {
    source: 'https://www.boost.org/LICENSE_1_0.txt',
    description: 'Permissive; the notice stays with the source and need not come with binaries.',
    permissions: uses,
    conditions: ['include-copyright--source'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/BSL-1.0.json', { with: { type: 'json' } }),
  }),
  license('cc-by-4.0', 'Creative Commons Attribution 4.0 International', {
    source: 'https://creativecommons.org/licenses/by/4.0/legalcode.txt',
    description:
      'For texts, pictures and the like: anything is allowed to who names the author. Not meant for software.',
    permissions: uses,
    conditions: ['include-copyright', 'document-changes'],
    limitations: unpatented,
    text: () => import('spdx-license-list/licenses/CC-BY-4.0.json', { with: { type: 'json' } }),
  }),
  license('cc-by-sa-4.0', 'Creative Commons Attribution Share Alike 4.0 International', {
    source: 'https://creativecommons.org/licenses/by-sa/4.0/legalcode.txt',
    description: 'For texts, pictures and the like: name the author, and give what is made of it under the same terms.',
    permissions: uses,
    conditions: ['include-copyright', 'document-changes', 'same-license'],
    limitations: unpatented,
    text: () => import('spdx-license-list/licenses/CC-BY-SA-4.0.json', { with: { type: 'json' } }),
  }),
  license('cc0-1.0', 'Creative Commons Zero v1.0 Universal', {
    source: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode.txt',
    description: 'Gives up all rights that the law lets an author give up.',
    permissions: uses,
    conditions: [],
    limitations: unpatented,
    text: () => import('spdx-license-list/licenses/CC0-1.0.json', { with: { type: 'json' } }),
  }),
  license('epl-2.0', 'Eclipse Public License 2.0', {
    source: 'https://www.eclipse.org/legal/epl-2.0/',
    description: 'Changes to the licensed files stay open; what only uses them may be closed. Grants patents.',
    permissions: patented,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/EPL-2.0.json', { with: { type: 'json' } }),
  }),
  license('eupl-1.2', 'European Union Public License 1.2', {
    source: 'https://eupl.eu/1.2/en/',
    description: 'Copyleft of the European Union, compatible with several others; use over a network counts too.',
    permissions: patented,
    conditions: [...copyleft, 'network-use-disclose'],
    limitations: branded,
    text: () => import('spdx-license-list/licenses/EUPL-1.2.json', { with: { type: 'json' } }),
  }),
  license('agpl-3.0', 'GNU Affero General Public License v3.0', {
    nickname: 'GNU AGPLv3',
    source: `${gnu}/agpl-3.0.txt`,
    description: 'Strongest copyleft: who offers the program over a network also gives its source.',
    permissions: patented,
    conditions: [...copyleft, 'network-use-disclose'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/AGPL-3.0-only.json', { with: { type: 'json' } }),
  }),
  license('gpl-2.0', 'GNU General Public License v2.0', {
    nickname: 'GNU GPLv2',
    source: `${gnu}/gpl-2.0.txt`,
    description: 'Copyleft: programs made of it are given with their source, under the same terms.',
    permissions: uses,
    conditions: copyleft,
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/GPL-2.0-only.json', { with: { type: 'json' } }),
  }),
  license('gpl-3.0', 'GNU General Public License v3.0', {
    nickname: 'GNU GPLv3',
    popular: true,
    source: `${gnu}/gpl-3.0.txt`,
    description:
      'Copyleft with a grant of patents: programs made of it are given with their source, under the same terms.',
    permissions: patented,
    conditions: copyleft,
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/GPL-3.0-only.json', { with: { type: 'json' } }),
  }),
  license('lgpl-2.1', 'GNU Lesser General Public License v2.1', {
    nickname: 'GNU LGPLv2.1',
    source: `${gnu}/lgpl-2.1.txt`,
    description: 'Copyleft for libraries: changes to the library stay open, programs that use it need not be.',
    permissions: uses,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/LGPL-2.1-only.json', { with: { type: 'json' } }),
  }),
  license('lgpl-3.0', 'GNU Lesser General Public License v3.0', {
    nickname: 'GNU LGPLv3',
    source: `${gnu}/lgpl-3.0.txt`,
    description: 'Terms for libraries on top of the GNU General Public License v3.0.',
    permissions: patented,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/LGPL-3.0-only.json', { with: { type: 'json' } }),
  }),
  license('isc', 'ISC License', {
    source: 'https://www.isc.org/licenses/',
    description: 'Permissive and short: keep the notice. Says the same as the BSD one with two sentences.',
    permissions: uses,
    conditions: ['include-copyright'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/ISC.json', { with: { type: 'json' } }),
  }),
  license('mit', 'MIT License', {
    popular: true,
    source: 'https://opensource.org/license/mit',
    description: 'Permissive and short: keep the notice, and do what you like.',
    permissions: uses,
    conditions: ['include-copyright'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/MIT.json', { with: { type: 'json' } }),
  }),
  license('mit-0', 'MIT No Attribution', {
    source: 'https://github.com/aws/mit-0',
    description: 'As the MIT License, without having to keep the notice.',
    permissions: uses,
    conditions: [],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/MIT-0.json', { with: { type: 'json' } }),
  }),
  license('mpl-2.0', 'Mozilla Public License 2.0', {
    source: 'https://www.mozilla.org/media/MPL/2.0/index.txt',
    description: 'Changed files stay open; what is put beside them may be closed.',
    permissions: patented,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: branded,
    text: () => import('spdx-license-list/licenses/MPL-2.0.json', { with: { type: 'json' } }),
  }),
  license('ofl-1.1', 'SIL Open Font License 1.1', {
    source: 'https://openfontlicense.org/open-font-license-official-text/',
    description: 'For fonts: they may come with anything, and are not sold by themselves.',
    permissions: uses,
    conditions: ['include-copyright', 'same-license'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/OFL-1.1.json', { with: { type: 'json' } }),
  }),
  license('unlicense', 'The Unlicense', {
    source: 'https://unlicense.org/UNLICENSE',
    description: 'Gives the program to the public domain.',
    permissions: uses,
    conditions: [],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/Unlicense.json', { with: { type: 'json' } }),
  }),
  license('upl-1.0', 'Universal Permissive License v1.0', {
    source: 'https://oss.oracle.com/licenses/upl/',
    description: 'Permissive with a grant of patents that may cover larger works.',
    permissions: patented,
    conditions: ['include-copyright'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/UPL-1.0.json', { with: { type: 'json' } }),
  }),
  license('zlib', 'zlib License', {
    source: 'https://zlib.net/zlib_license.html',
    description: 'Permissive; changed versions say so and nobody claims to have written the original.',
    permissions: uses,
    conditions: ['include-copyright--source', 'document-changes'],
    limitations: unliable,
    text: () => import('spdx-license-list/licenses/Zlib.json', { with: { type: 'json' } }),
  }),
];

/** What others write in place of a name or a year. */
const year = /[<{[](?:year|yyyy)[>}\]]/gi;
const holder = /[<{[](?:fullname|name of (?:author|copyright owner)|copyright holders?|owner)[>}\]]/gi;
const program = /[<{[](?:project|program|one line to give the (?:program|library)'s name [^>}\]]*)[>}\]]/gi;
/** Notices of whoever wrote the licence for a program of theirs. */
const examples: Readonly<Record<string, (text: string) => string>> = {
  isc: (text) => text.replace(/(?:^Copyright .*\n)+/m, 'Copyright (c) <year> <owner>\n'),
  '0bsd': (text) => text.replace('YEAR by AUTHOR EMAIL', '<year> by <owner>'),
};

/** The text as the list has it, with places to fill in. */
export async function licenseText({ key, text }: Pick<License, 'key' | 'text'>): Promise<string> {
  const plain = (await text()).default.licenseText
    .replaceAll('\r\n', '\n')
    .replace(/[ \t]+$/gm, '')
    .trim();
  return `${examples[key]?.(plain) ?? plain}\n`;
}

/** The text with this year, and with the names that are given. */
export function filled(text: string, names: { fullname?: string | undefined; project?: string | undefined }): string {
  const { fullname, project } = names;
  // Functions: a name may hold what a replacement would read as a group.
  let result = text.replace(year, () => String(new Date().getFullYear()));
  if (fullname) result = result.replace(holder, () => fullname);
  if (project) result = result.replace(program, () => project);
  return result;
}
