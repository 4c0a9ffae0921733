import { type AdviceOut, type ReportForm, reportFile } from "@/api/advice";
import { SaveMenu } from "@/components/save-menu";

/** Forms of a report, those for readers first. */
const FORMS: readonly { readonly form: ReportForm; readonly title: string }[] = [
  { form: "pdf", title: "PDF" },
  { form: "html", title: "HTML" },
  { form: "xlsx", title: "Spreadsheet" },
  { form: "csv", title: "CSV of the options" },
  { form: "json", title: "JSON" },
];

/** Saves the advice that is shown as a report for those who decide. */
export function ReportMenu({ found }: { readonly found: AdviceOut }) {
  return (
    <SaveMenu
      label="Report"
      isQuiet
      article="the "
      failed="The report could not be written"
      forms={FORMS.map(({ form, title }) => ({
        title,
        fileName: `advice-${found.advice_id}.${form}`,
        write: () => reportFile(found, form),
      }))}
    />
  );
}
