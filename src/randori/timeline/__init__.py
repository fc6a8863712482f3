"""What was decided: who does what when and where, why, what came of it; and the poses that it makes."""
