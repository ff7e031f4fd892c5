"""The modules that read and write files: `array_record_module` and `array_record_data_source`."""
