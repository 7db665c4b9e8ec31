/** Notes about where something was referred to. */
export { crossReferences } from './cross-references.ts';
