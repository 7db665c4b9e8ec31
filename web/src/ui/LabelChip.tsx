/** A label with its colour, which is beside the name: not every colour can be read on. */
import classes from './label-chip.module.css';

export function LabelChip({ label }: { label: { name: string; color: string; description: string | null } }) {
  return (
    <span className={classes.label} title={label.description ?? undefined}>
      <span className={classes.color} style={{ background: label.color }} aria-hidden />
      {label.name}
    </span>
  );
}
