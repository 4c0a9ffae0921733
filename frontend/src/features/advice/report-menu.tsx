import { type AdviceOut, type ReportForm, reportFile } from "@/api/advice";
import { type PlacementIn, type PlacementOut, placementFile } from "@/api/placements";
import { SaveMenu } from "@/components/save-menu";

/** Forms of a report, those for readers first. */
const formsOf = (
  rows: string,
): readonly { readonly form: ReportForm; readonly title: string }[] => [
  { form: "pdf", title: "PDF" },
  { form: "html", title: "HTML" },
  { form: "xlsx", title: "Spreadsheet" },
  { form: "csv", title: `CSV of the ${rows}` },
  { form: "json", title: "JSON" },
];

/** Saves an answer as a report for those who decide. */
function Reports(props: {
  readonly name: string;
  readonly rows: string;
  readonly write: (form: ReportForm) => Promise<Blob>;
}) {
  const { name, rows, write } = props;
  return (
    <SaveMenu
      label="Report"
      isQuiet
      article="the "
      failed="The report could not be written"
      forms={formsOf(rows).map(({ form, title }) => ({
        title,
        fileName: `${name}.${form}`,
        write: () => write(form),
      }))}
    />
  );
}

/** Saves the advice that is shown as a report for those who decide. */
export function ReportMenu({ found }: { readonly found: AdviceOut }) {
  return (
    <Reports
      name={`advice-${found.advice_id}`}
      rows="options"
      write={(form) => reportFile(found, form)}
    />
  );
}

/** Saves the systems that are shown, of several workloads, as such a report. */
export function PlacementReportMenu(props: {
  readonly found: PlacementOut;
  readonly asked: PlacementIn;
}) {
  const { found, asked } = props;
  return (
    <Reports
      name={`placement-${found.placement_id}`}
      rows="systems"
      write={(form) => placementFile(asked, form)}
    />
  );
}
