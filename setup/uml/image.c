// SPDX-License-Identifier: GPL-2.0
/*
 * The image is mapped, not read: its pages are those of the host's file, which all machines share.
 * Files that begin at a page of the archive (hil/machine/cpio.py) have these pages as their
 * contents, so unpacking copies only the end of each. They cannot be written. Copied to
 * arch/um/kernel by setup/uml/edit.py.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/initrd.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <os.h>

void *lab_map_image(const char *name, unsigned long long *size);
int lab_image_at(unsigned long phys, int *fd, unsigned long long *offset);
size_t lab_share(struct file *file, char *data, size_t size);
int lab_renew_image(void);

int lab_image_fd = -1;
static unsigned long image_phys, image_size;

/* Returns where the image is; NULL if it cannot be mapped, such as from a file system that is
   mounted noexec. */
void *__init lab_map_image(const char *name, unsigned long long *size) {
    void *area;
    int fd = os_open_file(name, of_read(OPENFLAGS()), 0);

    if (fd < 0)
        return NULL;
    if (os_file_size(name, size) || !*size)
        goto out;
    area = memblock_alloc_raw(PAGE_ALIGN(*size), PAGE_SIZE);
    if (!area)
        goto out;
    if (os_map_memory(area, fd, 0, *size, 1, 0, 1)) {
        memblock_free(area, PAGE_ALIGN(*size));
        goto out;
    }
    lab_image_fd = fd;
    image_phys = __pa(area);
    image_size = PAGE_ALIGN(*size);
    return area;
out:
    os_close_file(fd);
    return NULL;
}

/* Maps the image again where the whole memory was mapped; returns an error number. */
int lab_renew_image(void) {
    if (lab_image_fd < 0)
        return 0;
    return os_map_memory(__va(image_phys), lab_image_fd, 0, image_size, 1, 0, 1);
}

/* Sets file and offset of an address of the image, for who maps it into a process. */
int lab_image_at(unsigned long phys, int *fd, unsigned long long *offset) {
    if (phys - image_phys >= image_size)
        return 0;
    *fd = lab_image_fd;
    *offset = phys - image_phys;
    return 1;
}

/* Makes whole pages of the image the first contents of a file; returns their size in bytes. They
   keep a reference, so they are never freed, and no memory pressure removes them. */
size_t __init lab_share(struct file *file, char *data, size_t size) {
    struct inode *inode = file_inode(file);
    size_t done = 0;

    if (__pa(data) - image_phys >= image_size || !PAGE_ALIGNED(data))
        return 0;
    while (size - done >= PAGE_SIZE) {
        struct page *page = virt_to_page(data + done);
        struct folio *folio = page_folio(page);

        __ClearPageReserved(page);
        __folio_set_swapbacked(folio); /* as all pages of tmpfs */
        if (filemap_add_folio(inode->i_mapping, folio, done >> PAGE_SHIFT, GFP_KERNEL))
            break;
        folio_mark_uptodate(folio);
        folio_mark_dirty(folio);
        folio_unlock(folio);
        done += PAGE_SIZE;
    }
    if (done)
        inode->i_flags |= S_IMMUTABLE;
    return done;
}

/* The pages stay; they count as memory, as they did when they were copied. */
void __init free_initrd_mem(unsigned long start, unsigned long end) {
    if (lab_image_fd < 0)
        free_reserved_area((void *)start, (void *)end, -1, "initrd");
    else
        adjust_managed_page_count(virt_to_page(start), image_size >> PAGE_SHIFT);
}
