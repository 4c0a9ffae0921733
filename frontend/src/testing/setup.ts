import "@mantine/core/styles.css";
import "../app/app.css";
